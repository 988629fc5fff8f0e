/// A data model as its file describes it: names in the place of references.
public struct ModelDocument: Hashable, Sendable {
    /// A name of the version, which stores record.
    public var versionIdentifier: String?
    public var entities: [ModelEntity] = []
    /// The attributes of each composite type, by the name of the type.
    public var composites: [String: [ModelAttribute]] = [:]
    public var fetchRequests: [ModelFetchRequest] = []
    /// The names of the entities of each configuration, by the name of the configuration.
    public var configurations: [String: [String]] = [:]

    /// Makes an empty model.
    public init() {}
}

/// The format of a predicate or an expression, which this module does not read, and the line that it is on.
public struct ModelFormat: Hashable, Sendable {
    public let text: String
    /// The line, which makes no difference between formats; nil for a file that has no lines.
    public let line: Int?

    /// Makes a format.
    public init(_ text: String, line: Int? = nil) {
        self.text = text
        self.line = line
    }

    public static func == (left: Self, right: Self) -> Bool { left.text == right.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// An entity of a model.
public struct ModelEntity: Hashable, Sendable {
    public var name: String
    /// The name of the class as the model has it: alone, with a module, or after a point for the module of the program.
    public var className: String?
    public var isAbstract = false
    /// The name of the entity that this one inherits from.
    public var parent: String?
    public var codeGeneration = ModelCodeGeneration.manual
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var attributes: [ModelAttribute] = []
    public var relationships: [ModelRelationship] = []
    public var fetchedProperties: [ModelFetchedProperty] = []
    public var indexes: [ModelIndex] = []
    /// Sets of properties whose values no two objects share.
    public var uniquenessConstraints: [[String]] = []
    public var userInfo: [String: String] = [:]
    /// The expression of the name that Spotlight shows, which only Apple's platforms use.
    public var spotlightName: String?

    /// Makes an entity without properties.
    public init(name: String) { self.name = name }
}

/// The classes that Xcode generates for an entity.
public enum ModelCodeGeneration: String, Hashable, Sendable, CaseIterable {
    /// None; the program has the class.
    case manual
    /// The class with its properties.
    case classDefinition = "class"
    /// The properties only, in an extension of a class of the program.
    case category
}

/// What attributes, relationships and fetched properties have in common.
public struct ModelPropertyOptions: Hashable, Sendable {
    public var isOptional = false
    public var isTransient = false
    public var isIndexedBySpotlight = false
    public var isStoredInExternalRecord = false
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String] = [:]

    /// Makes the options of a property that the file only names.
    public init() {}
}

/// An attribute of an entity or of a composite type.
public struct ModelAttribute: Hashable, Sendable {
    public var name: String
    public var type: ModelAttributeType
    public var options = ModelPropertyOptions()
    public var defaultValue: ModelValue?
    /// The smallest value, or the smallest length of a text.
    public var minimum: ModelValue?
    /// The largest value, or the largest length of a text.
    public var maximum: ModelValue?
    /// The pattern that a whole text matches.
    public var regularExpression: String?
    /// Whether generated code has a number and not an object.
    public var usesScalarType = false
    public var transformerName: String?
    /// The class of a transformable value.
    public var valueClassName: String?
    public var allowsExternalStorage = false
    public var allowsCloudEncryption = false
    public var preservesValueInHistory = false
    /// The expression of a derived attribute.
    public var derivation: ModelFormat?
    /// The name of the type of a composite attribute.
    public var composite: String?

    /// Makes an attribute.
    public init(name: String, type: ModelAttributeType) {
        self.name = name
        self.type = type
    }
}

/// The type of an attribute, by its name in the file.
public enum ModelAttributeType: String, Hashable, Sendable, CaseIterable {
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
public struct ModelRelationship: Hashable, Sendable {
    public var name: String
    /// The name of the entity of the objects.
    public var destination: String
    public var options = ModelPropertyOptions()
    /// The name of the relationship back.
    public var inverse: String?
    public var minimumCount = 0
    /// The largest number of objects; 1 for a to-one relationship, 0 for any number.
    public var maximumCount = 1
    public var isOrdered = false
    public var deleteRule = ModelDeleteRule.nullify

    public var isToMany: Bool { maximumCount != 1 }

    /// Makes a to-one relationship.
    public init(name: String, destination: String) {
        self.name = name
        self.destination = destination
    }
}

/// The rule for the objects of a relationship when the object that has it is deleted, by its name in the file.
public enum ModelDeleteRule: String, Hashable, Sendable, CaseIterable {
    case noAction = "No Action"
    case nullify = "Nullify"
    case cascade = "Cascade"
    case deny = "Deny"
}

/// A property whose value a fetch request finds.
public struct ModelFetchedProperty: Hashable, Sendable {
    public var name: String
    public var options = ModelPropertyOptions()
    public var request: ModelFetchRequest

    /// Makes a fetched property.
    public init(name: String, request: ModelFetchRequest) {
        self.name = name
        self.request = request
    }
}

/// A fetch request of a model. What the file leaves out is nil.
public struct ModelFetchRequest: Hashable, Sendable {
    public var name: String
    public var entity: String
    public var predicate: ModelFormat?
    public var limit = 0
    public var batchSize = 0
    /// The number of the kind of the results.
    public var resultType: UInt = 0
    public var includesSubentities: Bool?
    public var includesPropertyValues: Bool?
    public var includesPendingChanges: Bool?
    public var returnsObjectsAsFaults: Bool?
    public var returnsDistinctResults: Bool?

    /// Makes a request for all objects of an entity.
    public init(name: String, entity: String) {
        self.name = name
        self.entity = entity
    }
}

/// An index of an entity.
public struct ModelIndex: Hashable, Sendable {
    public var name: String
    public var elements: [ModelIndexElement] = []
    /// The condition of the objects that the index covers; nil for all.
    public var partialPredicate: ModelFormat?

    /// Makes an index of nothing.
    public init(name: String) { self.name = name }
}

/// A part of an index.
public struct ModelIndexElement: Hashable, Sendable {
    /// The source of the indexed values.
    public enum Source: Hashable, Sendable {
        case property(String)
        case expression(ModelFormat, result: ModelAttributeType)
    }

    public var source: Source
    public var isRTree = false
    public var isAscending = true

    /// Makes an ascending part of an ordinary index.
    public init(_ source: Source) { self.source = source }
}
