import Foundation
import StratusCompatibility

/// The steps in which the objects of a mapping are migrated. A program overrides those that it changes.
open class NSEntityMigrationPolicy: NSObject {
    /// Makes a policy. The migration manager makes one for each mapping.
    public required override init() { super.init() }

    /// Called before any object of the mapping is migrated.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the object for one of the source, sets its attributes, and associates both.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let name = mapping.destinationEntityName else { return }
        let made = NSEntityDescription.insertNewObject(forEntityName: name, into: manager.destinationContext)
        for property in mapping.attributeMappings ?? [] {
            try manager.setValue(of: property, in: mapping, source: sInstance, destination: made)
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: made, for: mapping)
    }

    /// Called when all objects of the mapping have been made.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of an object.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let source = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [dInstance])
        for property in mapping.relationshipMappings ?? [] {
            try manager.setValue(of: property, in: mapping, source: source.first, destination: dInstance)
        }
    }

    /// Called when the objects of the mapping have their relationships.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Checks the objects of the mapping, besides the validation of the model.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when the mapping is done.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Returns the result of a method that an expression calls: `FUNCTION($entityPolicy, "selector:", …)`. Linux does not
    /// find methods by their names, so a policy overrides this for each selector that its mapping model has. Apple has no
    /// such method.
    open func value(forSelector selector: String, arguments: [Any?]) throws -> Any? {
        throw CocoaError.make(
            .entityMigrationPolicy,
            "the policy \(type(of: self)) has no value(forSelector:arguments:) for '\(selector)'")
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The variable of expressions for the migration manager.
public let NSMigrationManagerKey = "manager"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The variable of expressions for the object of the source.
public let NSMigrationSourceObjectKey = "source"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The variable of expressions for the object of the destination.
public let NSMigrationDestinationObjectKey = "destination"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The variable of expressions for the mapping of the entity.
public let NSMigrationEntityMappingKey = "entityMapping"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The variable of expressions for the mapping of the property.
public let NSMigrationPropertyMappingKey = "propertyMapping"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The variable of expressions for the policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
