/// Reads a format: a grammar of operators that bind more or less tightly, over tokens.
///
/// A parenthesis may hold a predicate or a value, and which one it is shows only inside; so both are read by the same
/// functions, and what was read is asked for its kind where one of them must stand.
struct PredicateParser {
    var lexer: PredicateLexer
    var token = PredicateToken.end
    /// Where `token` begins.
    var position = 0
    var arguments: PredicateArguments
    var depth = 0
    private var operators = 0

    /// A predicate or a value, and where it begins.
    struct Parsed {
        enum Content {
            case predicate(PredicateTree)
            case operand(PredicateOperand)
        }

        let content: Content
        let position: Int
    }

    private init(_ format: String, _ arguments: [Any]) throws(PredicateFormatError) {
        lexer = try PredicateLexer(format)
        self.arguments = PredicateArguments(arguments)
        try advance()
    }

    /// The predicate of a format. More arguments than it names are ignored.
    static func predicate(
        _ format: String, _ arguments: [Any] = []
    ) throws(PredicateFormatError) -> PredicateTree {
        var parser = try PredicateParser(format, arguments)
        let tree = try parser.predicate(.or)
        try parser.expectEnd()
        return tree
    }

    /// The expression of a format.
    static func operand(
        _ format: String, _ arguments: [Any] = []
    ) throws(PredicateFormatError) -> PredicateOperand {
        var parser = try PredicateParser(format, arguments)
        let operand = try parser.operand(.set)
        try parser.expectEnd()
        return operand
    }

    /// Something whose operators all bind at least so tightly.
    mutating func parse(_ loosest: PredicatePrecedence) throws(PredicateFormatError) -> Parsed {
        var left = try prefix()
        while let infix = infix(), infix.precedence >= loosest { left = try joined(left, infix) }
        return left
    }

    mutating func predicate(_ loosest: PredicatePrecedence) throws(PredicateFormatError) -> PredicateTree {
        let parsed = try parse(loosest)
        return try asPredicate(parsed)
    }

    mutating func operand(_ loosest: PredicatePrecedence) throws(PredicateFormatError) -> PredicateOperand {
        let parsed = try parse(loosest)
        return try asOperand(parsed)
    }

    private func asPredicate(_ parsed: Parsed) throws(PredicateFormatError) -> PredicateTree {
        if case .predicate(let tree) = parsed.content { return tree }
        throw error("an operator such as == or IN must stand here, not \(token.name)")
    }

    private func asOperand(_ parsed: Parsed) throws(PredicateFormatError) -> PredicateOperand {
        if case .operand(let operand) = parsed.content { return operand }
        throw error("this is a predicate; a value must stand here", at: parsed.position)
    }

    private mutating func joined(_ left: Parsed, _ infix: PredicateInfix) throws(PredicateFormatError) -> Parsed {
        let content: Parsed.Content
        switch infix {
        case .and: content = .predicate(.and(try chain(left, infix)))
        case .or: content = .predicate(.or(try chain(left, infix)))
        case .relation(let relation):
            content = .predicate(try comparison(try asOperand(left), relation, .direct))
        case .set(let operation):
            let first = try asOperand(left)
            try advance()
            content = .operand(.set(operation, first, try operand(.bitwiseOr)))
        case .arithmetic(let function, let precedence):
            let first = try asOperand(left)
            try countOperator()
            try advance()
            let second = try operand(precedence.ofRightSide)
            content = .operand(.function(function.rawValue, [first, second]))
        case .dot:
            try countOperator()
            content = .operand(try member(of: try asOperand(left)))
        case .bracket:
            try countOperator()
            content = .operand(try element(of: try asOperand(left)))
        }
        return Parsed(content: content, position: left.position)
    }

    /// `a AND b AND c` is one conjunction; `(a AND b) AND c` is two.
    private mutating func chain(_ first: Parsed, _ infix: PredicateInfix) throws(PredicateFormatError)
        -> [PredicateTree]
    {
        var members = [try asPredicate(first)]
        while self.infix() == infix {
            try advance()
            members.append(try predicate(infix.precedence.next))
        }
        return members
    }

    /// Called at the relation.
    mutating func comparison(
        _ left: PredicateOperand, _ relation: PredicateComparison.Relation, _ modifier: PredicateComparison.Modifier
    ) throws(PredicateFormatError) -> PredicateTree {
        try advance()
        let options = try options()
        let right = try operand(.set)
        return .comparison(PredicateComparison(left, relation, right, modifier: modifier, options: options))
    }

    /// `[cd]`
    private mutating func options() throws(PredicateFormatError) -> PredicateComparison.Options {
        guard token == .symbol(.openBracket) else { return [] }
        try advance()
        guard case .word(let letters) = token else { throw error("options such as c or cd must stand here") }
        var options: PredicateComparison.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw error("'\(letter)' is no option; there are c, d, n and l")
            }
        }
        try advance()
        try expect(.closeBracket)
        return options
    }

    // MARK: Tokens

    mutating func advance() throws(PredicateFormatError) { (token, position) = try lexer.next() }

    mutating func expect(_ symbol: PredicateSymbol) throws(PredicateFormatError) {
        guard token == .symbol(symbol) else {
            throw error("'\(symbol.rawValue)' must stand here, not \(token.name)")
        }
        try advance()
    }

    private func expectEnd() throws(PredicateFormatError) {
        guard token == .end else { throw error("\(token.name) cannot follow here") }
    }

    func error(_ reason: String, at position: Int? = nil) -> PredicateFormatError {
        lexer.error(reason, at: position ?? self.position)
    }

    private mutating func countOperator() throws(PredicateFormatError) {
        operators += 1
        guard operators <= PredicateLimits.operators else {
            throw error("there are more than \(PredicateLimits.operators) operators")
        }
    }
}
