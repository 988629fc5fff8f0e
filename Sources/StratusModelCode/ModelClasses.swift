import StratusModelFiles

/// Writes the classes that Xcode generates for the entities of a model, in one file.
///
/// Xcode declares properties as `@NSManaged`, for which the Objective-C runtime makes accessors. Here they are computed.
package struct ModelClasses {
    private let model: ModelDocument
    private let file: String
    private let entities: [String: ModelEntity]
    private var lines: [String] = []

    /// Returns the source.
    /// - Parameter file: The path of the model's file, for errors.
    /// - Throws: ``ModelFileError`` for a name that Swift does not allow.
    package static func source(of model: ModelDocument, file: String) throws(ModelFileError) -> String {
        var classes = ModelClasses(model: model, file: file)
        for entity in model.entities { try classes.write(entity) }
        return "import CoreData\nimport Foundation\n" + classes.lines.map { $0 + "\n" }.joined()
    }

    private init(model: ModelDocument, file: String) {
        self.model = model
        self.file = file
        entities = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func write(_ entity: ModelEntity) throws(ModelFileError) {
        let name = className(of: entity)
        guard entity.codeGeneration != .manual, name != "NSManagedObject" else { return }
        let place = "entity '\(entity.name)'"
        try check(name, place, "class")
        let parent = entity.parent.flatMap { entities[$0] }
        if entity.codeGeneration == .classDefinition {
            lines += ["", "public class \(name): \(parent.map(className) ?? "NSManagedObject") {}"]
        }
        lines += ["", "extension \(name) {"]
        lines += [
            "    public class func fetchRequest() -> NSFetchRequest<\(name)> {",
            "        NSFetchRequest<\(name)>(entityName: \(SwiftText.literal(entity.name)))", "    }",
        ]
        for attribute in entity.attributes { try write(attribute.name, type(of: attribute), place) }
        for relationship in entity.relationships { try write(relationship.name, type(of: relationship), place) }
        for property in entity.fetchedProperties {
            try write(property.name, "[\(className(property.request.entity))]", place)
        }
        lines.append("}")
        for relationship in entity.relationships where relationship.isToMany {
            write(relationship, of: name)
        }
        // A class inherits the conformance.
        if parent.map(className) ?? "NSManagedObject" == "NSManagedObject" {
            lines += ["", "extension \(name): Identifiable {}"]
        }
    }

    private mutating func write(_ name: String, _ type: String, _ place: String) throws(ModelFileError) {
        try check(name, place, "property")
        let key = SwiftText.literal(name)
        lines += [
            "", "    public var \(SwiftText.identifier(name)): \(type) {",
            "        get { managedValue(forKey: \(key)) }", "        set { setManagedValue(newValue, forKey: \(key)) }",
            "    }",
        ]
    }

    private mutating func write(_ relationship: ModelRelationship, of name: String) {
        lines += ["", "// Accessors of \(relationship.name).", "extension \(name) {"]
        for accessor in ToManyAccessor.all where relationship.isOrdered || !accessor.isOrdered {
            lines += accessor.lines(
                property: relationship.name, member: className(relationship.destination),
                collection: relationship.isOrdered ? "NSOrderedSet" : "NSSet")
        }
        lines.append("}")
    }

    private func check(_ name: String, _ place: String, _ kind: String) throws(ModelFileError) {
        guard SwiftText.isIdentifier(name) else {
            throw ModelFileError(
                file: file, element: place, reason: "has a \(kind) '\(name)', which is no name in Swift")
        }
    }

    private func className(_ entity: String) -> String {
        entities[entity].map(className) ?? "NSManagedObject"
    }

    /// Returns the name without the module, which is the one that is built.
    private func className(of entity: ModelEntity) -> String {
        let name = entity.className ?? "NSManagedObject"
        return name.split(separator: ".").last.map(String.init) ?? "NSManagedObject"
    }

    private func type(of relationship: ModelRelationship) -> String {
        guard relationship.isToMany else { return className(relationship.destination) + "?" }
        return relationship.isOrdered ? "NSOrderedSet?" : "NSSet?"
    }

    private func type(of attribute: ModelAttribute) -> String {
        if attribute.usesScalarType, let scalar = attribute.type.scalar { return scalar }
        return (attribute.valueClassName.map(SwiftText.valueType) ?? attribute.type.objectType) + "?"
    }
}

extension ModelAttributeType {
    /// The type of properties without an object.
    fileprivate var scalar: String? {
        switch self {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .double: "Double"
        case .float: "Float"
        case .boolean: "Bool"
        case .date: "TimeInterval"
        case .undefined, .decimal, .string, .binary, .uuid, .uri, .transformable, .objectID, .composite: nil
        }
    }

    fileprivate var objectType: String {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "String"
        case .date: "Date"
        case .binary: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .objectID: "NSManagedObjectID"
        case .composite: "[String: Any]"
        case .undefined, .transformable: "NSObject"
        }
    }
}
