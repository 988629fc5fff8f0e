/// A data model as its file describes it: names in the place of references.
package struct ModelDocument: Hashable, Sendable {
    /// A name of the version, which stores record.
    package var versionIdentifier: String?
    package var entities: [ModelEntity] = []
    /// The attributes of each composite type, by the name of the type.
    package var composites: [String: [ModelAttribute]] = [:]
    package var fetchRequests: [ModelFetchRequest] = []
    /// The names of the entities of each configuration, by the name of the configuration.
    package var configurations: [String: [String]] = [:]

    /// Makes an empty model.
    package init() {}
}

/// The format of a predicate or an expression, which this module does not read, and the line that it is on.
package struct ModelFormat: Hashable, Sendable {
    package let text: String
    /// The line, which makes no difference between formats; nil for a file that has no lines.
    package let line: Int?

    /// Makes a format.
    package init(_ text: String, line: Int? = nil) {
        self.text = text
        self.line = line
    }

    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// An entity of a model.
package struct ModelEntity: Hashable, Sendable {
    package var name: String
    /// The name of the class as the model has it: alone, with a module, or after a point for the module of the program.
    package var className: String?
    package var isAbstract = false
    /// The name of the entity that this one inherits from.
    package var parent: String?
    package var codeGeneration = ModelCodeGeneration.manual
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    package var attributes: [ModelAttribute] = []
    package var relationships: [ModelRelationship] = []
    package var fetchedProperties: [ModelFetchedProperty] = []
    package var indexes: [ModelIndex] = []
    /// Sets of properties whose values no two objects share.
    package var uniquenessConstraints: [[String]] = []
    package var userInfo: [String: String] = [:]
    /// The expression of the name that Spotlight shows, which only Apple's platforms use.
    package var spotlightName: String?

    /// Makes an entity without properties.
    package init(name: String) { self.name = name }
}

/// The classes that Xcode generates for an entity.
package enum ModelCodeGeneration: String, Hashable, Sendable, CaseIterable {
    /// None; the program has the class.
    case manual
    /// The class with its properties.
    case classDefinition = "class"
    /// The properties only, in an extension of a class of the program.
    case category
}

/// The options that attributes, relationships and fetched properties share.
package struct ModelPropertyOptions: Hashable, Sendable {
    package var isOptional = false
    package var isTransient = false
    package var isIndexedBySpotlight = false
    package var isStoredInExternalRecord = false
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    package var userInfo: [String: String] = [:]

    /// Makes the options of a property that the file only names.
    package init() {}
}

/// An attribute of an entity or of a composite type.
package struct ModelAttribute: Hashable, Sendable {
    package var name: String
    package var type: ModelAttributeType
    package var options = ModelPropertyOptions()
    package var defaultValue: ModelValue?
    /// The smallest value, or the smallest length of a text.
    package var minimum: ModelValue?
    /// The largest value, or the largest length of a text.
    package var maximum: ModelValue?
    /// The pattern that a whole text matches.
    package var regularExpression: String?
    /// Whether generated code has a number and not an object.
    package var usesScalarType = false
    package var transformerName: String?
    /// The class of a transformable value.
    package var valueClassName: String?
    package var allowsExternalStorage = false
    package var allowsCloudEncryption = false
    package var preservesValueInHistory = false
    /// The expression of a derived attribute.
    package var derivation: ModelFormat?
    /// The name of the type of a composite attribute.
    package var composite: String?

    /// Makes an attribute.
    package init(name: String, type: ModelAttributeType) {
        self.name = name
        self.type = type
    }
}

/// The type of an attribute, by its name in the file.
package enum ModelAttributeType: String, Hashable, Sendable, CaseIterable {
    case undefined = "Undefined"
    case integer16 = "Integer 16"
    case integer32 = "Integer 32"
    case integer64 = "Integer 64"
    case decimal = "Decimal"
    case double = "Double"
    case float = "Float"
    case string = "String"
    case boolean = "Boolean"
    case date = "Date"
    case binary = "Binary"
    case uuid = "UUID"
    case uri = "URI"
    case transformable = "Transformable"
    case objectID = "ObjectID"
    case composite = "Composite"
}

/// A relationship of an entity.
package struct ModelRelationship: Hashable, Sendable {
    package var name: String
    /// The name of the entity of the objects.
    package var destination: String
    package var options = ModelPropertyOptions()
    /// The name of the relationship back.
    package var inverse: String?
    package var minimumCount = 0
    /// The largest number of objects; 1 for a to-one relationship, 0 for any number.
    package var maximumCount = 1
    package var isOrdered = false
    package var deleteRule = ModelDeleteRule.nullify

    package var isToMany: Bool { maximumCount != 1 }

    /// Makes a to-one relationship.
    package init(name: String, destination: String) {
        self.name = name
        self.destination = destination
    }
}

/// The rule for the objects of a relationship when the object that has it is deleted, by its name in the file.
package enum ModelDeleteRule: String, Hashable, Sendable, CaseIterable {
    case noAction = "No Action"
    case nullify = "Nullify"
    case cascade = "Cascade"
    case deny = "Deny"
}

/// A property whose value a fetch request finds.
package struct ModelFetchedProperty: Hashable, Sendable {
    package var name: String
    package var options = ModelPropertyOptions()
    package var request: ModelFetchRequest

    /// Makes a fetched property.
    package init(name: String, request: ModelFetchRequest) {
        self.name = name
        self.request = request
    }
}

/// A fetch request of a model. What the file leaves out is nil.
package struct ModelFetchRequest: Hashable, Sendable {
    package var name: String
    package var entity: String
    package var predicate: ModelFormat?
    package var limit = 0
    package var batchSize = 0
    /// The number of the kind of the results.
    package var resultType: UInt = 0
    package var includesSubentities: Bool?
    package var includesPropertyValues: Bool?
    package var includesPendingChanges: Bool?
    package var returnsObjectsAsFaults: Bool?
    package var returnsDistinctResults: Bool?

    /// Makes a request for all objects of an entity.
    package init(name: String, entity: String) {
        self.name = name
        self.entity = entity
    }
}

/// An index of an entity.
package struct ModelIndex: Hashable, Sendable {
    package var name: String
    package var elements: [ModelIndexElement] = []
    /// The condition of the objects that the index covers; nil for all.
    package var partialPredicate: ModelFormat?

    /// Makes an index of nothing.
    package init(name: String) { self.name = name }
}

/// A part of an index.
package struct ModelIndexElement: Hashable, Sendable {
    /// The source of the indexed values.
    package enum Source: Hashable, Sendable {
        case property(String)
        case expression(ModelFormat, result: ModelAttributeType)
    }

    package var source: Source
    package var isRTree = false
    package var isAscending = true

    /// Makes an ascending part of an ordinary index.
    package init(_ source: Source) { self.source = source }
}
