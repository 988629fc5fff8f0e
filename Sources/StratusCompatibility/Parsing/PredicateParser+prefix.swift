extension PredicateParser {
    /// What can stand at the beginning of a predicate or a value.
    mutating func prefix() throws(PredicateFormatError) -> Parsed {
        let start = position
        depth += 1
        defer { depth -= 1 }
        guard depth <= PredicateLimits.depth else {
            throw error("more than \(PredicateLimits.depth) parts stand inside each other")
        }
        switch token {
        case .symbol(let symbol): return try prefix(symbol, from: start)
        case .word(let word):
            if let keyword = PredicateKeyword(word), !keyword.isContextual {
                return Parsed(content: try prefix(keyword), position: start)
            }
            return Parsed(content: .operand(try named(word)), position: start)
        default: return Parsed(content: .operand(try constant()), position: start)
        }
    }

    private mutating func prefix(_ symbol: PredicateSymbol, from start: Int) throws(PredicateFormatError) -> Parsed {
        let content: Parsed.Content
        switch symbol {
        case .open:
            try advance()
            content = try parse(.or).content
            try expect(.close)
        case .openBrace:
            try advance()
            content = .operand(.list(try operands(until: .closeBrace)))
        case .not:
            try advance()
            content = .predicate(.not(try predicate(.not)))
        case .minus:
            try advance()
            content = .operand(try negative())
        case .tilde:
            try advance()
            content = .operand(.function(PredicateFunction.complement.rawValue, [try operand(.unary)]))
        default: throw error("a value or a predicate must stand here, not \(token.name)")
        }
        return Parsed(content: content, position: start)
    }

    private mutating func prefix(_ keyword: PredicateKeyword) throws(PredicateFormatError) -> Parsed.Content {
        if let value = keyword.constant {
            try advance()
            return .operand(value)
        }
        switch keyword {
        case .truePredicate, .falsePredicate:
            try advance()
            return .predicate(.constant(keyword == .truePredicate))
        case .not:
            try advance()
            return .predicate(.not(try predicate(.not)))
        case .any, .some: return .predicate(try aggregate(.any))
        case .all: return .predicate(try aggregate(.all))
        case .none: return .predicate(.not(try aggregate(.any)))
        default:
            throw error(
                "a value or a predicate must stand here, not \(token.name), which has a meaning of its own; "
                    + "a key of that name is written #\(keyword.rawValue.lowercased())")
        }
    }

    /// `ANY tags == 'x'`, at `ANY`.
    private mutating func aggregate(
        _ modifier: PredicateComparison.Modifier
    ) throws(PredicateFormatError) -> PredicateTree {
        try advance()
        let left = try operand(.set)
        guard case .relation(let relation)? = infix() else {
            throw error("an operator such as == or IN must stand here, not \(token.name)")
        }
        return try comparison(left, relation, modifier)
    }

    /// Behind a minus: a number below zero, or minus one times something.
    private mutating func negative() throws(PredicateFormatError) -> PredicateOperand {
        if case .number(let number) = token {
            guard let negative = number.negated else { throw error("the number has more than 64 bits") }
            try advance()
            return .value(negative)
        }
        let minusOne = PredicateOperand.value(.integer(-1))
        return .function(PredicateFunction.multiply.rawValue, [minusOne, try operand(.unary)])
    }

    /// Values with commas between them, and the sign that ends them.
    mutating func operands(until end: PredicateSymbol) throws(PredicateFormatError) -> [PredicateOperand] {
        var operands: [PredicateOperand] = []
        if token != .symbol(end) {
            operands.append(try operand(.set))
            while token == .symbol(.comma) {
                try advance()
                operands.append(try operand(.set))
            }
        }
        guard token == .symbol(end) else {
            throw error("',' or '\(end.rawValue)' must stand here, not \(token.name)")
        }
        try advance()
        return operands
    }
}

extension PredicateKeyword {
    /// What the word stands for, if that is a value.
    fileprivate var constant: PredicateOperand? {
        switch self {
        case .true, .yes: .value(.bool(true))
        case .false, .no: .value(.bool(false))
        case .null, .nil: .value(.null)
        case .itself: .evaluatedObject
        default: nil
        }
    }
}

extension PredicateValue {
    /// A literal number with a minus before it; nil if there is none in its type.
    fileprivate var negated: PredicateValue? {
        switch self {
        case .integer(let value): .integer(-value)
        case .unsigned(let value): value == Int64.min.magnitude ? .integer(.min) : nil
        case .double(let value): .double(-value)
        default: nil
        }
    }
}
