import StratusCloudModel
import StratusCloudWire

/// `field OPERATOR value` of the command line as a filter.
///
/// Operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, and in any case the words of the web services such as `BEGINS_WITH`.
/// A field `*` means all fields, for the searches by words. A value is a number if it looks like one, a date behind `@`,
/// a list between brackets or commas where the operator wants one, a place and a radius for `NEAR`
/// (`52.5,13.4 within 100km`), and text otherwise; in quotation marks it is text in any case.
enum FilterExpression {
    private static let symbols: [(String, Comparator)] = [
        ("!=", .notEquals), ("<=", .lessThanOrEquals), (">=", .greaterThanOrEquals), ("==", .equals), ("=", .equals),
        ("<", .lessThan), (">", .greaterThan),
    ]

    /// - Throws: a usage error that quotes the expression.
    static func parse(_ text: String) throws(ToolError) -> Filter {
        let (name, rest) = split(text[...])
        guard !name.isEmpty, !rest.isEmpty else { throw refusal(text, "the form is 'field OPERATOR value'") }
        let (comparator, value) = try comparator(rest, text)
        guard !value.isEmpty else { throw refusal(text, "the value is missing; empty text is \"\"") }
        let field: QueryField? = name == "*" ? nil : QueryFieldName.parse(name)
        if comparator == .near {
            let (location, distance) = try near(value, text)
            return Filter(
                .near, field, FieldInput(.scalar(.location(location)), declaredType: .scalar(.location)),
                distance: distance)
        }
        let isList = [.in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll]
            .contains(comparator)
        guard isList else { return Filter(comparator, field, FieldInput(try scalar(value, field, text))) }
        var elements: [InputValue] = []
        for part in QuotedText.parts(brackets(value)) { elements.append(try scalar(part[...], field, text)) }
        return Filter(comparator, field, FieldInput(.list(elements)))
    }

    /// The first word, which ends before white space or an operator's symbol, and what follows.
    private static func split(_ text: Substring) -> (String, Substring) {
        let text = text.drop { $0.isWhitespace }
        let name = text.prefix { !$0.isWhitespace && !"=!<>".contains($0) }
        return (String(name), text[name.endIndex...].drop { $0.isWhitespace })
    }

    private static func comparator(
        _ rest: Substring, _ text: String
    ) throws(ToolError) -> (Comparator, Substring) {
        for (symbol, comparator) in symbols where rest.hasPrefix(symbol) {
            return (comparator, rest.dropFirst(symbol.count).drop { $0.isWhitespace })
        }
        let word = rest.prefix { !$0.isWhitespace }
        guard let comparator = Comparator(rawValue: word.uppercased()) else {
            let known = (["=", "!=", "<", "<=", ">", ">="] + Comparator.allCases.map(\.rawValue)).joined(separator: " ")
            throw refusal(text, "'\(word)' is not an operator; the operators are \(known)")
        }
        return (comparator, rest[word.endIndex...].drop { $0.isWhitespace })
    }

    private static func brackets(_ text: Substring) -> Substring {
        text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
    }

    private static func scalar(
        _ value: Substring, _ field: QueryField?, _ text: String
    ) throws(ToolError) -> InputValue {
        let plain = TextValue.trimmed(String(value))
        if let unquoted = QuotedText.unquoted(plain) { return .text(unquoted) }
        if case .system(let system)? = field {
            if system.type == .reference { return .scalar(.reference(Reference(recordName: plain))) }
            return .scalar(.timestamp(Timestamp(milliseconds: try date(plain[...], text))))
        }
        if plain.hasPrefix("@") {
            return .scalar(.timestamp(Timestamp(milliseconds: try date(plain.dropFirst(), text))))
        }
        if let integer = Int64(plain) { return .integer(integer) }
        if let number = Double(plain), number.isFinite { return .decimal(number) }
        return .text(plain)
    }

    private static func date(_ value: Substring, _ text: String) throws(ToolError) -> Int64 {
        guard let milliseconds = DateText.milliseconds(String(value)) else {
            throw refusal(text, "'\(value)' is not a date such as 2026-01-31T12:00:00Z")
        }
        return milliseconds
    }

    private static func near(
        _ value: Substring, _ text: String
    ) throws(ToolError) -> (Location, Double) {
        let words = value.split { $0.isWhitespace }
        guard words.count == 3, words[1].lowercased() == "within", let distance = metres(words[2]) else {
            throw refusal(text, "the form is 'field NEAR latitude,longitude within 100km'")
        }
        return (try PlaceText.parse(words[0], in: text), distance)
    }

    private static func metres(_ text: Substring) -> Double? {
        if text.hasSuffix("km") { return Double(text.dropLast(2)).map { $0 * 1_000 } }
        return Double(text.hasSuffix("m") ? text.dropLast() : text)
    }

    private static func refusal(_ text: String, _ reason: String) -> ToolError {
        .usage("--filter '\(text)': \(reason)")
    }
}

/// A field as the command line names it.
enum QueryFieldName {
    /// A system field by either of its spellings, such as `recordName` or `___createTime`, or a field of the type.
    static func parse(_ name: String) -> QueryField {
        SystemField(anySpelling: name).map { .system($0) } ?? .named(name)
    }
}

/// `latitude,longitude`.
enum PlaceText {
    static func parse(_ text: Substring, in expression: String) throws(ToolError) -> Location {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw .usage("'\(expression)': '\(text)' is not a place such as 52.52,13.4")
        }
        do {
            return try TextValue.location(String(parts[0]), String(parts[1]), "place")
        } catch {
            throw .usage("'\(expression)': \(error.reason)")
        }
    }
}
