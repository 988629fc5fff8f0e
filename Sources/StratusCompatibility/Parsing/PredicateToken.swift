/// The smallest part of a format that means something.
enum PredicateToken: Hashable {
    /// A name: a key, a function's selector with its colons, or a word that the grammar gives a meaning to.
    case word(String)
    /// `#name`: a key, even if the grammar gives the word a meaning. `@count` comes as one too.
    case key(String)
    /// `$name`
    case variable(String)
    case string(String)
    case number(PredicateValue)
    /// `%@`, `%K`, `%d` …
    case argument(Conversion)
    case symbol(PredicateSymbol)
    case end

    /// What kind of value an argument stands for.
    enum Conversion: Hashable {
        case keyPath, value
    }

    /// For messages.
    var name: String {
        switch self {
        case .word(let word): "'\(word)'"
        case .key(let key): key.hasPrefix("@") ? "'\(key)'" : "'#\(key)'"
        case .variable(let name): "'$\(name)'"
        case .string: "a text"
        case .number: "a number"
        case .argument(.keyPath): "'%K'"
        case .argument(.value): "an argument"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .end: "the end"
        }
    }
}

/// Signs, the longer first where one begins with another.
enum PredicateSymbol: String, CaseIterable {
    case power = "**"
    case modulus = "%%"
    case equal = "=="
    case greaterOrEqual = ">="
    case greaterOrEqualReversed = "=>"
    case lessOrEqual = "<="
    case lessOrEqualReversed = "=<"
    case notEqual = "!="
    case different = "<>"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case and = "&&"
    case or = "||"
    case assign = "="
    case less = "<"
    case greater = ">"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case tilde = "~"
    case open = "("
    case close = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case dot = "."
}

/// Words that mean something in a format, in any case. A key of that name is written with `#` before it.
enum PredicateKeyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
    case `in` = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case tokenMatches = "TOKENMATCHES"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case null = "NULL"
    case `nil` = "NIL"
    case itself = "SELF"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case cast = "CAST"
    case function = "FUNCTION"
    case subquery = "SUBQUERY"
    case ternary = "TERNARY"
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"

    init?(_ word: String) {
        guard let keyword = Self.byName[word.uppercased()] else { return nil }
        self = keyword
    }

    /// Whether it has its meaning only in some places and is a key everywhere else, so that records may have fields
    /// called `size` or `first`.
    var isContextual: Bool {
        switch self {
        case .first, .last, .size, .cast, .function, .subquery, .ternary, .union, .intersect, .minus: true
        default: false
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}
