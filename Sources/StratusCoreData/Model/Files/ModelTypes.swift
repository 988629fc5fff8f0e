import Foundation
import StratusModelFiles

extension ModelAttributeType {
    var attributeType: NSAttributeType {
        switch self {
        case .undefined: .undefinedAttributeType
        case .integer16: .integer16AttributeType
        case .integer32: .integer32AttributeType
        case .integer64: .integer64AttributeType
        case .decimal: .decimalAttributeType
        case .double: .doubleAttributeType
        case .float: .floatAttributeType
        case .string: .stringAttributeType
        case .boolean: .booleanAttributeType
        case .date: .dateAttributeType
        case .binary: .binaryDataAttributeType
        case .uuid: .UUIDAttributeType
        case .uri: .URIAttributeType
        case .transformable: .transformableAttributeType
        case .objectID: .objectIDAttributeType
        case .composite: .compositeAttributeType
        }
    }
}

extension ModelDeleteRule {
    var description: NSDeleteRule {
        switch self {
        case .noAction: .noActionDeleteRule
        case .nullify: .nullifyDeleteRule
        case .cascade: .cascadeDeleteRule
        case .deny: .denyDeleteRule
        }
    }
}

extension ModelValue {
    /// Returns the value in the form in which attributes of a type hold it.
    func object(for type: ModelAttributeType) -> Any {
        switch self {
        case .integer(let number): NSNumber(value: number)
        case .double(let number): type == .float ? NSNumber(value: Float(number)) : NSNumber(value: number)
        case .decimal(let number): NSDecimalNumber(decimal: number)
        case .boolean(let flag): NSNumber(value: flag)
        case .string(let text): text
        case .date(let date): date
        case .uuid(let uuid): uuid
        case .url(let url): url
        case .data(let data): data
        }
    }
}
