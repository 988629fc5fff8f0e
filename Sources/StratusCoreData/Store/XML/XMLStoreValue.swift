import Foundation

/// The values of attributes as texts in XML stores.
enum XMLStoreValue {
    /// The name of a type in the file.
    static func typeName(_ type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "int16"
        case .integer32AttributeType: "int32"
        case .integer64AttributeType: "int64"
        case .decimalAttributeType: "decimal"
        case .doubleAttributeType: "double"
        case .floatAttributeType: "float"
        case .stringAttributeType: "string"
        case .booleanAttributeType: "bool"
        case .dateAttributeType: "date"
        case .binaryDataAttributeType: "binary"
        case .UUIDAttributeType: "uuid"
        case .URIAttributeType: "uri"
        case .transformableAttributeType, .undefinedAttributeType, .compositeAttributeType: "transformable"
        case .objectIDAttributeType: "objectid"
        }
    }

    static func text(_ value: Any, of attribute: NSAttributeDescription) throws -> String {
        if attribute.attributeType == .compositeAttributeType {
            throw CocoaError.make(.persistentStoreSave, "XML stores have no composite attributes: '\(attribute.name)'")
        }
        switch try StoredValue(value, of: attribute) {
        case .integer(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .decimal(let value): return "\(value)"
        case .string(let value): return value
        // Twenty digits, as Apple's stores have, keep a date exactly.
        case .date(let value): return String(format: "%.20f", value.timeIntervalSinceReferenceDate)
        case .data(let value): return value.base64EncodedString()
        case .uuid(let value): return value.uuidString
        case .url(let value): return value.absoluteString
        case .null, .reference: return ""
        }
    }

    /// Returns a value as programs see it; nil if the text is not one of the attribute's type.
    static func value(_ text: String, of attribute: NSAttributeDescription) -> Any? {
        stored(text, attribute.attributeType).flatMap { $0.value(of: attribute, in: nil) }
    }

    private static func stored(_ text: String, _ type: NSAttributeType) -> StoredValue? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            Int64(trimmed).map { .integer($0) }
        case .doubleAttributeType, .floatAttributeType: Double(trimmed).map { .double($0) }
        case .decimalAttributeType:
            Decimal(string: trimmed, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        case .stringAttributeType: .string(text)
        case .dateAttributeType: Double(trimmed).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .UUIDAttributeType: UUID(uuidString: trimmed).map { .uuid($0) }
        case .URIAttributeType, .objectIDAttributeType: URL(string: trimmed).map { .url($0) }
        case .binaryDataAttributeType, .transformableAttributeType, .undefinedAttributeType:
            Data(base64Encoded: trimmed, options: .ignoreUnknownCharacters).map { .data($0) }
        case .compositeAttributeType: nil
        }
    }
}
