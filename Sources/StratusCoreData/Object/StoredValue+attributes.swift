import Foundation

extension StoredValue {
    /// Takes a value whose type in Swift is the one that most values of an attribute have, without bridging it. Returns nil
    /// for others, and for numbers beyond the range of the type.
    init?(plain value: Any, of type: NSAttributeType) {
        let own = Swift.type(of: value)
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            guard own == Int.self, let value = value as? Int, type.range?.contains(Int64(value)) ?? true else {
                return nil
            }
            self = .integer(Int64(value))
        case .booleanAttributeType:
            guard own == Bool.self, let value = value as? Bool else { return nil }
            self = .integer(value ? 1 : 0)
        case .doubleAttributeType:
            guard own == Double.self, let value = value as? Double else { return nil }
            self = .double(value)
        case .stringAttributeType:
            guard own == String.self, let value = value as? String else { return nil }
            self = .string(value)
        case .dateAttributeType:
            guard own == Date.self, let value = value as? Date else { return nil }
            self = .date(value)
        default: return nil
        }
    }

    /// Takes the value of an attribute, which is of the attribute's type.
    init(_ value: Any, of attribute: NSAttributeDescription) throws {
        let stored: StoredValue?
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            stored = (value as? NSNumber).map { .integer($0.int64Value) }
        case .booleanAttributeType: stored = (value as? NSNumber).map { .integer($0.boolValue ? 1 : 0) }
        case .doubleAttributeType: stored = (value as? NSNumber).map { .double($0.doubleValue) }
        case .floatAttributeType: stored = (value as? NSNumber).map { .double(Double($0.floatValue)) }
        case .decimalAttributeType: stored = (value as? NSDecimalNumber).map { .decimal($0.decimalValue) }
        case .stringAttributeType: stored = (value as? String).map { .string($0) }
        case .dateAttributeType: stored = (value as? Date).map { .date($0) }
        case .binaryDataAttributeType: stored = (value as? Data).map { .data($0) }
        case .UUIDAttributeType: stored = (value as? UUID).map { .uuid($0) }
        case .URIAttributeType: stored = (value as? URL).map { .url($0) }
        case .objectIDAttributeType: stored = (value as? NSManagedObjectID).map { .url($0.uriRepresentation()) }
        case .transformableAttributeType, .undefinedAttributeType:
            stored = .data(try TransformableValue.data(of: value, attribute))
        case .compositeAttributeType: stored = nil
        }
        guard let stored else {
            throw CocoaError.make(
                .persistentStoreSave, "attribute '\(attribute.name)' cannot hold a \(Swift.type(of: value))")
        }
        self = stored
    }

    /// The value as programs see it: numbers as `NSNumber`.
    func value(of attribute: NSAttributeDescription, in context: NSManagedObjectContext?) -> Any? {
        switch self {
        case .null, .reference: nil
        case .integer(let value):
            attribute.attributeType == .booleanAttributeType ? NSNumber(value: value != 0) : NSNumber(value: value)
        case .double(let value):
            attribute.attributeType == .floatAttributeType ? NSNumber(value: Float(value)) : NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value):
            attribute.attributeType == .binaryDataAttributeType ? value : TransformableValue.value(of: value, attribute)
        case .uuid(let value): value
        case .url(let value):
            attribute.attributeType == .objectIDAttributeType
                ? context?.coordinator?.managedObjectID(forURIRepresentation: value) : value
        }
    }
}

extension CocoaError {
    /// Makes an error in the form in which Core Data's are thrown.
    package static func make(_ code: CocoaError.Code, _ reason: String, _ more: [String: Any] = [:]) -> NSError {
        var info = more
        info[NSLocalizedDescriptionKey] = reason
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: info)
    }
}
