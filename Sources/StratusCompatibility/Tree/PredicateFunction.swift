/// The functions that formats and `NSExpression(forFunction:arguments:)` know, by their selectors.
///
/// In formats a function stands as its selector, `distanceToLocation:fromLocation:(a, b)`, or by its short name,
/// `sum(list)`. Other names are refused, as on Apple's platforms.
public enum PredicateFunction: String, Hashable, Sendable, CaseIterable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case squareRoot = "sqrt:"
    case logarithm = "log:"
    case naturalLogarithm = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absolute = "abs:"
    case truncated = "trunc:"
    case random = "random"
    case randomBelow = "randomn:"
    case now = "now"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case shiftLeft = "leftshift:by:"
    case shiftRight = "rightshift:by:"
    case complement = "onesComplement:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    /// Without regard to case and accents.
    case canonical = "canonical:"
    case length = "length:"
    /// The value itself; on Apple's platforms a hint not to use an index.
    case noIndex = "noindex:"
    case distinct = "distinct:"
    /// The words of a text.
    case tokenize = "tokenize:"
    /// The same; the second argument names options, as in brackets.
    case tokenizeUsing = "tokenize:using:"
    /// Metres between two places.
    case distance = "distanceToLocation:fromLocation:"
    /// `CAST(value, 'class')`.
    case cast = "castObject:toType:"

    /// How many arguments it takes: the colons of the selector.
    public var arity: Int { rawValue.count { $0 == ":" } }

    /// What it may be called in formats instead: the selector's first part, where that says enough.
    var shortName: String? {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft,
            .shiftRight, .distance, .cast:
            nil
        default: String(rawValue.prefix { $0 != ":" })
        }
    }

    /// What stands between two arguments in formats, and how tightly it binds.
    var infix: (symbol: String, precedence: PredicatePrecedence)? {
        switch self {
        case .bitwiseOr: ("|", .bitwiseOr)
        case .bitwiseXor: ("^", .bitwiseXor)
        case .bitwiseAnd: ("&", .bitwiseAnd)
        case .shiftLeft: ("<<", .shift)
        case .shiftRight: (">>", .shift)
        case .add: ("+", .sum)
        case .subtract: ("-", .sum)
        case .multiply: ("*", .product)
        case .divide: ("/", .product)
        case .modulus: ("%%", .product)
        case .power: ("**", .power)
        default: nil
        }
    }

    /// The function that a name with so many arguments means in a format; case does not count for short names.
    static func named(_ name: String, arguments: Int) -> PredicateFunction? {
        if let function = bySelector(name) { return function.arity == arguments ? function : nil }
        return byShortName[name.lowercased()]?.first { $0.arity == arguments }
    }

    /// Whether any function has the name, whatever its number of arguments.
    static func exists(named name: String) -> Bool {
        bySelector(name) != nil || byShortName[name.lowercased()] != nil
    }

    /// A selector, whose last colon may be left out before the parenthesis: `distanceToLocation:fromLocation(a, b)`
    /// stands in much documentation and code.
    private static func bySelector(_ name: String) -> PredicateFunction? {
        PredicateFunction(rawValue: name) ?? (name.contains(":") ? PredicateFunction(rawValue: name + ":") : nil)
    }

    private static let byShortName = Dictionary(
        grouping: allCases.filter { $0.shortName != nil }, by: { $0.shortName?.lowercased() ?? "" })
}

/// How tightly operators bind, the loosest first. All but ``power`` group from the left.
enum PredicatePrecedence: Int, Comparable, CaseIterable {
    case or, and, not, comparison, set, bitwiseOr, bitwiseXor, bitwiseAnd, shift, sum, product, power, unary, postfix

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
