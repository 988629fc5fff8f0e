import StratusCloudModel

/// Text of a file as values.
enum TextValue {
    /// The value that `text` writes in a column of type `type`.
    static func parse(_ text: String, as type: ScalarType, column: String) throws(RowError) -> ScalarValue {
        switch type {
        case .string:
            return .string(text)
        case .int64:
            if let number = Int64(trimmed(text)) { return .int64(number) }
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
            if parts.count == 2 { return .location(try location(String(parts[0]), String(parts[1]), column)) }
        case .reference:
            return .reference(Reference(recordName: text))
        case .asset:
            break
        }
        throw RowError("column '\(column)': \(quoted(text)) is not \(expectation(type))")
    }

    /// A location from two texts.
    static func location(
        _ latitude: String, _ longitude: String, _ column: String
    ) throws(RowError) -> Location {
        guard let latitude = Double(trimmed(latitude)), let longitude = Double(trimmed(longitude)) else {
            throw RowError("column '\(column)': latitude and longitude must be numbers")
        }
        return try location(latitude, longitude, column)
    }

    static func location(
        _ latitude: Double, _ longitude: Double, _ column: String
    ) throws(RowError) -> Location {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw RowError(
                "column '\(column)': latitude \(latitude), longitude \(longitude) is not a place on earth")
        }
        return Location(latitude: latitude, longitude: longitude)
    }

    private static func expectation(_ type: ScalarType) -> String {
        switch type {
        case .int64: "an integer of 64 bits"
        case .double: "a number"
        case .timestamp: "a date: ISO 8601 such as 2026-01-31T12:00:00Z, or milliseconds since 1970"
        case .bytes: "base64"
        case .location: "'latitude,longitude'"
        case .string, .reference, .asset: type.schemaName
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + (text.count <= 40 ? text : String(text.prefix(40)) + "…") + "'"
    }

    static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
    }
}
