extension PredicateParser {
    /// A literal, a variable, an argument, or a key with a mark.
    mutating func constant() throws(PredicateFormatError) -> PredicateOperand {
        let operand: PredicateOperand
        switch token {
        case .string(let text): operand = .value(.string(text))
        case .number(let number): operand = .value(number)
        case .variable(let name): operand = .variable(name)
        case .key(let key): operand = .keyPath(key)
        case .argument(.value): operand = try argument()
        case .argument(.keyPath): operand = .path(try keyPathArgument())
        case .word, .symbol, .end: throw error("a value or a predicate must stand here, not \(token.name)")
        }
        try advance()
        return operand
    }

    private mutating func argument() throws(PredicateFormatError) -> PredicateOperand {
        guard let argument = arguments.next() else { throw error(arguments.missing) }
        return .constant(argument)
    }

    private mutating func keyPathArgument() throws(PredicateFormatError) -> String {
        guard let argument = arguments.next() else { throw error(arguments.missing) }
        guard case .string(let path) = PredicateValue(argument) else {
            throw error("the argument of %K must be a text, not \(type(of: argument))")
        }
        guard !path.isEmpty else { throw error("the argument of %K is empty") }
        return path
    }

    /// A key, or a function with its arguments.
    mutating func named(_ word: String) throws(PredicateFormatError) -> PredicateOperand {
        let start = position
        try advance()
        guard token == .symbol(.open) else {
            guard !word.contains(":") else { throw error("'(' must follow the name of a function") }
            return .keyPath(word)
        }
        try advance()
        switch PredicateKeyword(word) {
        case .cast?: return try cast()
        case .function?: return try method()
        case .subquery?: return try subquery()
        case .ternary?: return try ternary()
        default: break
        }
        let arguments = try operands(until: .close)
        guard let function = PredicateFunction.named(word, arguments: arguments.count) else {
            throw error(
                PredicateFunction.exists(named: word)
                    ? "'\(word)' does not take \(arguments.count) arguments" : "there is no function '\(word)'",
                at: start)
        }
        return .call(function, arguments)
    }

    private mutating func cast() throws(PredicateFormatError) -> PredicateOperand {
        let value = try operand(.set)
        try expect(.comma)
        let type = try operand(.set)
        try expect(.close)
        return .call(.cast, [value, type])
    }

    /// `FUNCTION(target, 'selector:', arguments)`
    private mutating func method() throws(PredicateFormatError) -> PredicateOperand {
        let target = try operand(.set)
        try expect(.comma)
        let start = position
        guard case .value(.string(let selector)) = try operand(.set) else {
            throw error("the name of a method must stand here, as a text", at: start)
        }
        guard token == .symbol(.comma) else {
            try expect(.close)
            return .method(target, selector, [])
        }
        try advance()
        return .method(target, selector, try operands(until: .close))
    }

    private mutating func subquery() throws(PredicateFormatError) -> PredicateOperand {
        let collection = try operand(.set)
        try expect(.comma)
        guard case .variable(let name) = token else {
            throw error("a variable such as $x must stand here, not \(token.name)")
        }
        try advance()
        try expect(.comma)
        let predicate = try predicate(.or)
        try expect(.close)
        return .subquery(collection, variable: name, predicate)
    }

    private mutating func ternary() throws(PredicateFormatError) -> PredicateOperand {
        let predicate = try predicate(.or)
        try expect(.comma)
        let first = try operand(.set)
        try expect(.comma)
        let second = try operand(.set)
        try expect(.close)
        return .conditional(predicate, first, second)
    }

    /// `.key`, at the dot.
    mutating func member(of operand: PredicateOperand) throws(PredicateFormatError) -> PredicateOperand {
        try advance()
        let key: String
        switch token {
        // Behind a dot every word is a key.
        case .word(let word) where !word.contains(":"): key = word
        case .key(let marked): key = marked
        case .argument(.keyPath): key = try keyPathArgument()
        default: throw error("a key must follow the dot, not \(token.name)")
        }
        try advance()
        return operand.member(key)
    }

    /// `[0]`, `[FIRST]`, at the bracket.
    mutating func element(of operand: PredicateOperand) throws(PredicateFormatError) -> PredicateOperand {
        try advance()
        let place: PredicateSubscript
        if case .word(let word) = token, let named = PredicateKeyword(word)?.place {
            try advance()
            place = named
        } else {
            place = .index(try self.operand(.set))
        }
        try expect(.closeBracket)
        return .element(operand, place)
    }
}

extension PredicateKeyword {
    fileprivate var place: PredicateSubscript? {
        switch self {
        case .first: .first
        case .last: .last
        case .size: .size
        default: nil
        }
    }
}
