import Foundation
import StratusCoreData

/// The value of a mirrored attribute, in the form that its record has.
enum MirroredValue: Hashable, Sendable, Codable {
    case string(String)
    case int(Int64)
    case double(Double)
    /// A time in whole milliseconds, as records have it.
    case date(Date)
    case bytes(Data)

    /// The bytes that the value takes in a record.
    var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let data): data.count
        case .int, .double, .date: 8
        }
    }

    /// Returns a date as records hold it.
    static func milliseconds(_ date: Date) -> MirroredValue {
        .date(Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000))
    }
}

/// A record that does not have the form that a mirrored object needs.
struct MirroredRecordError: LocalizedError, Hashable {
    var text: String
    var errorDescription: String? { text }
}

/// The conversion of the values of an attribute.
enum AttributeMapping {
    /// Returns the value for a record.
    /// - Throws: The error of a transformer that does not take the value, and `MirroredRecordError` for a number that records
    ///   cannot hold.
    static func mirrored(_ value: Any, _ attribute: NSAttributeDescription) throws -> MirroredValue? {
        switch attribute.attributeType {
        case .stringAttributeType: return (value as? String).map { .string($0) }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            return (value as? NSNumber).map { .int($0.int64Value) }
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
            guard let number = (value as? NSNumber)?.doubleValue else { return nil }
            guard number.isFinite else {
                throw MirroredRecordError(text: "attribute '\(attribute.name)' is \(number), which records cannot hold")
            }
            return .double(number)
        case .dateAttributeType: return (value as? Date).map(MirroredValue.milliseconds)
        case .binaryDataAttributeType: return (value as? Data).map { .bytes($0) }
        case .UUIDAttributeType: return (value as? UUID).map { .string($0.uuidString) }
        case .URIAttributeType: return (value as? URL).map { .string($0.absoluteString) }
        case .transformableAttributeType: return .bytes(try TransformableValue.data(of: value, attribute))
        case .compositeAttributeType, .objectIDAttributeType, .undefinedAttributeType: return nil
        }
    }

    /// Returns the value for an object.
    /// - Throws: `MirroredRecordError` if the attribute cannot hold the value of the record.
    static func value(_ mirrored: MirroredValue, _ attribute: NSAttributeDescription) throws -> Any {
        switch (attribute.attributeType, mirrored) {
        case (.stringAttributeType, .string(let text)): return text
        case (.booleanAttributeType, .int(let number)): return NSNumber(value: number != 0)
        case (.integer16AttributeType, .int(let number)) where Int16(exactly: number) != nil:
            return NSNumber(value: number)
        case (.integer32AttributeType, .int(let number)) where Int32(exactly: number) != nil:
            return NSNumber(value: number)
        case (.integer64AttributeType, .int(let number)): return NSNumber(value: number)
        case (.doubleAttributeType, .double(let number)), (.floatAttributeType, .double(let number)):
            return NSNumber(value: number)
        case (.doubleAttributeType, .int(let number)), (.floatAttributeType, .int(let number)):
            return NSNumber(value: Double(number))
        case (.decimalAttributeType, .double(let number)):
            if let decimal = decimal(number) { return decimal }
        case (.decimalAttributeType, .int(let number)): return NSDecimalNumber(value: number)
        case (.dateAttributeType, .date(let date)): return date
        case (.binaryDataAttributeType, .bytes(let data)): return data
        case (.UUIDAttributeType, .string(let text)):
            if let identifier = UUID(uuidString: text) { return identifier }
        case (.URIAttributeType, .string(let text)):
            if let url = URL(string: text) { return url }
        case (.transformableAttributeType, .bytes(let data)):
            if let value = TransformableValue.value(of: data, attribute) { return value }
        default: break
        }
        throw MirroredRecordError(
            text: "attribute '\(attribute.name)' cannot hold the value of field 'CD_\(attribute.name)'")
    }

    /// Returns the shortest decimal number that a record's number stands for; nil if it is too large for one.
    private static func decimal(_ number: Double) -> NSDecimalNumber? {
        let decimal = NSDecimalNumber(string: "\(number)", locale: nil as Any?)
        return decimal == NSDecimalNumber.notANumber ? nil : decimal
    }
}
