import Foundation

/// The kind of a mapping between entities.
public enum NSEntityMappingType: UInt, Sendable {
    /// The developer has not said; treated as a change.
    case undefinedEntityMappingType = 0
    /// The policy of the mapping does it all.
    case customEntityMappingType = 1
    /// The entity is new, and no objects are made for it.
    case addEntityMappingType = 2
    /// The entity is gone, and its objects are left out.
    case removeEntityMappingType = 3
    /// The objects are taken over as they are.
    case copyEntityMappingType = 4
    /// The objects are taken over with changes.
    case transformEntityMappingType = 5
}

/// The way in which the objects of an entity become those of an entity of another model.
open class NSEntityMapping: NSObject {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The name, by which expressions find the destinations of objects. Apple declares it so, and code relies on it.
    open var name: String!

    open var mappingType = NSEntityMappingType.undefinedEntityMappingType

    /// The name of the entity in the source model; nil for a new entity.
    open var sourceEntityName: String?

    /// The version hash of the entity in the source model.
    open var sourceEntityVersionHash: Data?

    /// The name of the entity in the destination model; nil for a removed entity.
    open var destinationEntityName: String?

    /// The version hash of the entity in the destination model.
    open var destinationEntityVersionHash: Data?

    /// The mappings of the attributes.
    open var attributeMappings: [NSPropertyMapping]?

    /// The mappings of the relationships.
    open var relationshipMappings: [NSPropertyMapping]?

    /// The source of the objects, as the object that it is: naming its class here would bring Foundation's warning to
    /// each use.
    var source: NSObject?

    /// The source of the objects: an expression that is a fetch request for the source context, or an array of objects.
    /// All objects of the source entity itself, without those of entities that inherit from it, if it is nil.
    @available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
    open var sourceExpression: NSExpression? {
        get { source as? NSExpression }
        set { source = newValue }
    }

    open var userInfo: [AnyHashable: Any]?

    /// The name of the class of the policy: `Module.Class`. ``NSEntityMigrationPolicy`` itself if it is nil.
    open var entityMigrationPolicyClassName: String?
}

/// The way in which a property gets its value from an object of another model.
open class NSPropertyMapping: NSObject {
    /// The name of the property of the destination.
    open var name: String?

    /// The value, as the object that it is: naming its class here would bring Foundation's warning to each use.
    var value: NSObject?

    /// The value. Its variables are `$source`, `$destination`, `$manager`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy`.
    @available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
    open var valueExpression: NSExpression? {
        get { value as? NSExpression }
        set { value = newValue }
    }

    open var userInfo: [AnyHashable: Any]?
}
