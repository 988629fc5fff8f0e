import Foundation

/// Brings values that programs set into the form that attributes hold.
enum AttributeConversion {
    /// Returns the value for a type; nil if it does not fit.
    static func value(_ value: Any, for type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            return number(value)
        case .decimalAttributeType:
            return (value as? Decimal).map { NSDecimalNumber(decimal: $0) }
        case .stringAttributeType: return value as? String
        case .dateAttributeType: return value as? Date
        case .binaryDataAttributeType: return value as? Data
        case .UUIDAttributeType: return value as? UUID
        case .URIAttributeType: return value as? URL
        case .objectIDAttributeType: return value as? NSManagedObjectID
        case .compositeAttributeType: return value as? [String: Any]
        case .transformableAttributeType, .undefinedAttributeType: return value
        }
    }

    /// Returns a number in a type that may not be able to hold it, cut off or rounded, as Apple's accessors do. Returns nil
    /// if the type is not one of numbers.
    static func truncated<Number>(_ number: NSNumber, as type: Number.Type) -> Number? {
        let value: Any? =
            switch type {
            case is Int16.Type: number.int16Value
            case is Int32.Type: number.int32Value
            case is Int64.Type: number.int64Value
            case is Int.Type: number.intValue
            case is Float.Type: number.floatValue
            case is Double.Type: number.doubleValue
            case is Bool.Type: number.boolValue
            default: nil
            }
        return value as? Number
    }

    /// Asks for the types that most numbers have first, because a cast that bridges is slow.
    private static func number(_ value: Any) -> NSNumber? {
        let type = Swift.type(of: value)
        if type == Int.self, let number = value as? Int { return NSNumber(value: number) }
        if type == Double.self, let number = value as? Double { return NSNumber(value: number) }
        if type == Bool.self, let number = value as? Bool { return NSNumber(value: number) }
        return value as? NSNumber
    }
}
