import StratusCloudModel
import StratusCloudWire

/// `field OPERATOR value` of the command line.
///
/// Operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, and in any case the words of the web services such as `BEGINS_WITH`.
/// A field `*` means all fields, for the searches by words. The value is read as the schema types the field; quotation
/// marks of either kind only delimit it. Where the schema does not know the field, a value is a number if it looks like
/// one, a date behind `@`, and text otherwise. A list stands between brackets, or only has commas, where the operator
/// takes one, and `NEAR` takes a place and a radius (`52.5,13.4 within 100km`).
struct FilterExpression {
    private static let symbols: [(String, Comparator)] = [
        ("!=", .notEquals), ("<=", .lessThanOrEquals), (">=", .greaterThanOrEquals), ("==", .equals), ("=", .equals),
        ("<", .lessThan), (">", .greaterThan),
    ]
    private static let listComparators: Set<Comparator> = [
        .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll,
    ]

    private let text: String
    /// nil means all fields.
    private let field: QueryField?
    private let comparator: Comparator
    private let value: Substring

    /// Takes an expression apart.
    /// - Throws: a usage error that quotes the expression.
    init(_ text: String) throws(ToolError) {
        self.text = text
        let (name, rest) = Self.split(text[...])
        guard !name.isEmpty, !rest.isEmpty else { throw Self.refusal(text, "the format is 'field OPERATOR value'") }
        (comparator, value) = try Self.comparator(rest, text)
        guard !value.isEmpty else { throw Self.refusal(text, "the value is missing; empty text is \"\"") }
        field = name == "*" ? nil : QueryFieldName.parse(name)
        // What depends on no schema is refused before anything is opened.
        if comparator == .near { _ = try near() }
        if case .system? = field { _ = try filter(types: [:]) }
    }

    /// Returns the filter, with the value as `types` type its field.
    /// - Throws: a usage error that quotes the expression.
    func filter(types: [String: FieldType]) throws(ToolError) -> Filter {
        if comparator == .near {
            let (location, distance) = try near()
            return Filter(
                .near, field, FieldInput(.scalar(.location(location)), declaredType: .scalar(.location)),
                distance: distance)
        }
        guard Self.listComparators.contains(comparator) else {
            return Filter(comparator, field, FieldInput(try scalar(value, types)))
        }
        var elements: [InputValue] = []
        for part in QuotedText.parts(Self.brackets(value)) { elements.append(try scalar(part[...], types)) }
        return Filter(comparator, field, FieldInput(.list(elements)))
    }

    /// Splits a text behind its first word, which ends before white space or an operator's symbol.
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

    private func scalar(_ value: Substring, _ types: [String: FieldType]) throws(ToolError) -> InputValue {
        let plain = TextValue.trimmed(String(value))
        let unquoted = QuotedText.unquoted(plain)
        switch field {
        case .system(let system)?:
            let content = unquoted ?? plain
            if system.type == .reference { return .scalar(.reference(Reference(recordName: content))) }
            return .scalar(.timestamp(Timestamp(milliseconds: try date(content))))
        case .named(let name)? where types[name] != nil:
            return try typed(unquoted ?? plain, as: types[name]?.scalar ?? .string, name)
        default:
            if let unquoted { return .text(unquoted) }
            return try guessed(plain)
        }
    }

    private func typed(_ content: String, as type: ScalarType, _ name: String) throws(ToolError) -> InputValue {
        switch type {
        // The service says of assets that they cannot be compared.
        case .string, .asset: return .text(content)
        case .timestamp: return .scalar(.timestamp(Timestamp(milliseconds: try date(content))))
        case .int64, .double, .bytes, .location, .reference:
            // A whole number may be written with an exponent.
            if type == .int64, let number = Double(content), let whole = Int64(exactly: number), Int64(content) == nil {
                return .integer(whole)
            }
            do {
                return .scalar(try TextValue.parse(content, as: type, "field '\(name)'"))
            } catch {
                throw Self.refusal(text, error.reason)
            }
        }
    }

    /// Returns a value of a field of which no type is known.
    private func guessed(_ plain: String) throws(ToolError) -> InputValue {
        if plain.hasPrefix("@") { return .scalar(.timestamp(Timestamp(milliseconds: try date(plain)))) }
        if let integer = Int64(plain) { return .integer(integer) }
        if let number = Double(plain), number.isFinite { return .decimal(number) }
        return .text(plain)
    }

    /// Returns the milliseconds of a date, which may stand behind an `@`.
    private func date(_ value: String) throws(ToolError) -> Int64 {
        let text = value.hasPrefix("@") ? String(value.dropFirst()) : value
        guard let milliseconds = DateText.milliseconds(text) else {
            throw Self.refusal(self.text, "'\(text)' is not a date such as 2026-01-31T12:00:00Z")
        }
        return milliseconds
    }

    private func near() throws(ToolError) -> (Location, Double) {
        let words = value.split { $0.isWhitespace }
        guard words.count == 3, words[1].lowercased() == "within", let distance = Self.metres(words[2]) else {
            throw Self.refusal(text, "the format is 'field NEAR latitude,longitude within 100km'")
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
            return try TextValue.location(String(parts[0]), String(parts[1]), "the place")
        } catch {
            throw .usage("'\(expression)': \(error.reason)")
        }
    }
}
