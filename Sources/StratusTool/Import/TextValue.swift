import StratusCloudModel

/// Text of a file as values.
enum TextValue {
    /// Returns the value that `text` writes as a value of the type `type`. For a whole number, `true` and `false` are 1
    /// and 0, as for JSON.
    /// - Parameter subject: Names the place in messages, such as `column 'size'`.
    static func parse(_ text: String, as type: ScalarType, _ subject: String) throws(RowError) -> ScalarValue {
        switch type {
        case .string:
            return .string(text)
        case .int64:
            let word = trimmed(text)
            if let number = Int64(word) { return .int64(number) }
            if let flag = Bool(word.lowercased()) { return .int64(flag ? 1 : 0) }
        case .double:
            if let number = Double(trimmed(text)), number.isFinite { return .double(number) }
        case .timestamp:
            if let milliseconds = DateText.milliseconds(trimmed(text)) {
                return .timestamp(Timestamp(milliseconds: milliseconds))
            }
        case .bytes:
            if let bytes = Base64.decode(text) { return .bytes(bytes) }
        case .location:
            let parts = text.split(separator: ",")
            if parts.count == 2 { return .location(try location(String(parts[0]), String(parts[1]), subject)) }
        case .reference:
            return .reference(Reference(recordName: text))
        case .asset:
            break
        }
        throw RowError("\(subject): \(quoted(text)) is not \(expectation(type))")
    }

    /// A location from two texts.
    static func location(
        _ latitude: String, _ longitude: String, _ subject: String
    ) throws(RowError) -> Location {
        guard let latitude = Double(trimmed(latitude)), let longitude = Double(trimmed(longitude)) else {
            throw RowError("\(subject): latitude and longitude must be numbers")
        }
        return try location(latitude, longitude, subject)
    }

    static func location(
        _ latitude: Double, _ longitude: Double, _ subject: String
    ) throws(RowError) -> Location {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw RowError(
                "\(subject): latitude \(latitude), longitude \(longitude) is not a place on earth")
        }
        return Location(latitude: latitude, longitude: longitude)
    }

    private static func expectation(_ type: ScalarType) -> String {
        switch type {
        case .int64: "a 64-bit integer"
        case .double: "a number"
        case .timestamp: "a date: ISO 8601 such as 2026-01-31T12:00:00Z, or milliseconds since 1970"
        case .bytes: "base64"
        case .location: "'latitude,longitude'"
        case .string, .reference, .asset: type.schemaName
        }
    }

    /// Returns a text in quotation marks for a message, cut where it is long.
    static func quoted(_ text: String) -> String {
        "'" + (text.count <= 40 ? text : String(text.prefix(40)) + "…") + "'"
    }

    static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
    }
}
