/// How two values stand to each other.
enum PredicateOrder {
    typealias Options = PredicateComparison.Options

    /// nil if the values have no order: of different kinds, of a kind without one, or not a number.
    static func compare(_ a: PredicateValue, _ b: PredicateValue, _ options: Options = []) -> ComparisonResult? {
        switch (a, b) {
        case (.string(let a), .string(let b)): return compare(a, b, options)
        case (.date(let a), .date(let b)): return a.compare(b)
        case (.decimal, _), (_, .decimal):
            if let a = a.asDecimal, let b = b.asDecimal { return a.isNaN || b.isNaN ? nil : order(a, b) }
            guard let a = a.number, let b = b.number, !a.isNaN, !b.isNaN else { return nil }
            return order(a, b)
        case (.double(let a), .double(let b)): return a.isNaN || b.isNaN ? nil : order(a, b)
        case (.double(let a), _): return b.exact.flatMap { compare($0, a) }.map(\.reversed)
        case (_, .double(let b)): return a.exact.flatMap { compare($0, b) }
        default:
            guard let a = a.exact, let b = b.exact else { return nil }
            return order(a, b)
        }
    }

    /// Nothing equals nothing, and nothing else.
    static func equal(_ a: PredicateValue, _ b: PredicateValue, _ options: Options = []) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): return equal(a, b, options)
        case (.list(let a), .list(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { equal($0, $1, options) }
        case (.dictionary(let a), .dictionary(let b)):
            return a.count == b.count && a.allSatisfy { key, value in b[key].map { equal(value, $0) } ?? false }
        default:
            return a == b || compare(a, b, options) == .orderedSame
        }
    }

    private static func equal(_ a: String, _ b: String, _ options: Options) -> Bool {
        if options.isEmpty { return a == b }
        if options.contains(.normalized) { return a.utf16.elementsEqual(b.utf16) }
        return compare(a, b, options) == .orderedSame
    }

    private static func compare(_ a: String, _ b: String, _ options: Options) -> ComparisonResult {
        NSString(string: a).compare(
            b, options: options.forStrings, range: options.wholeRange(of: a), locale: options.locale)
    }

    /// Exactly, though a floating point number holds 53 bits and a whole one 64.
    private static func compare(_ a: Int128, _ b: Double) -> ComparisonResult? {
        if b.isNaN { return nil }
        if b >= 0x1p64 { return .orderedAscending }
        if b < -0x1p63 { return .orderedDescending }
        let floor = b.rounded(.down)
        let whole = Int128(floor)
        return a == whole && b > floor ? .orderedAscending : order(a, whole)
    }

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
        a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
    }
}

extension PredicateValue {
    /// A whole number, signed or not.
    fileprivate var exact: Int128? {
        switch self {
        case .unsigned(let value): Int128(value)
        default: whole.map { Int128($0) }
        }
    }
}

extension ComparisonResult {
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}

extension PredicateComparison.Options {
    /// For Foundation's comparisons and searches.
    var forStrings: NSString.CompareOptions {
        if contains(.normalized) { return .literal }
        var options: NSString.CompareOptions = []
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return options
    }

    var locale: Locale? { contains(.localeSensitive) && !contains(.normalized) ? .current : nil }

    fileprivate func wholeRange(of text: String) -> NSRange { NSRange(location: 0, length: text.utf16.count) }

    /// A text without what the options say does not count.
    func folded(_ text: String) -> String {
        forStrings.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
            ? text : text.folding(options: forStrings, locale: locale)
    }
}
