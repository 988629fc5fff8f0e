import Foundation
import StratusXML

extension ModelReader {
    static func attributes(
        of element: XMLElement, _ place: ModelPlace
    ) throws(ModelFileError) -> [ModelAttribute] {
        try element.elements("attribute").map { child throws(ModelFileError) in try attribute(child, place) }
    }

    private static func attribute(
        _ element: XMLElement, _ place: ModelPlace
    ) throws(ModelFileError) -> ModelAttribute {
        // A transient attribute has no type if its values are objects of any class.
        let type: ModelAttributeType = try place.choice(element, "attributeType") ?? .undefined
        var attribute = ModelAttribute(name: try place.name(of: element), type: type)
        attribute.options = try options(of: element, place)
        attribute.usesScalarType = try place.flag(element, "usesScalarValueType") ?? false
        attribute.allowsExternalStorage = try place.flag(element, "allowsExternalBinaryDataStorage") ?? false
        attribute.allowsCloudEncryption = try place.flag(element, "allowsCloudEncryption") ?? false
        attribute.preservesValueInHistory = try place.flag(element, "preserveAfterDeletion") ?? false
        attribute.transformerName = element.text("valueTransformerName")
        attribute.valueClassName = element.text("customClassName")
        attribute.composite = element.text("composite")
        if try place.flag(element, "derived") ?? false {
            let format = try place.required(element, "derivationExpression")
            attribute.derivation = ModelFormat(format, line: element.line)
        }
        try readValues(of: element, into: &attribute, place)
        return attribute
    }

    private static func readValues(
        of element: XMLElement, into attribute: inout ModelAttribute, _ place: ModelPlace
    ) throws(ModelFileError) {
        switch attribute.type {
        case .date:
            attribute.defaultValue = try place.date(element, "defaultDateTimeInterval")
            attribute.minimum = try place.date(element, "minDateTimeInterval")
            attribute.maximum = try place.date(element, "maxDateTimeInterval")
        case .string:
            attribute.defaultValue = element.attribute("defaultValueString").map { .string($0) }
            attribute.minimum = try place.count(element, "minValueString").map { .integer(Int64($0)) }
            attribute.maximum = try place.count(element, "maxValueString").map { .integer(Int64($0)) }
            attribute.regularExpression = try place.regularExpression(element)
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            attribute.defaultValue = try place.value(element, "defaultValueString", attribute.type)
            attribute.minimum = try place.value(element, "minValueString", attribute.type)
            attribute.maximum = try place.value(element, "maxValueString", attribute.type)
        case .boolean, .uuid, .uri:
            attribute.defaultValue = try place.value(element, "defaultValueString", attribute.type)
        case .undefined, .binary, .transformable, .objectID, .composite: break
        }
    }
}
