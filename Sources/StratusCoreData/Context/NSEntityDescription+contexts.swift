import Foundation

extension NSEntityDescription {
    /// Returns the entity with a name in the model of a context.
    public class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.persistentStoreCoordinator?.entities[entityName]
    }

    /// Inserts a new object of an entity into a context. Stops the program if the model has no such entity or no such
    /// class is loaded.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            preconditionFailure("the model of the context has no entity '\(entityName)'")
        }
        return entity.objectClass.init(entity: entity, insertInto: context)
    }

    /// The class of the entity's objects.
    var objectClass: NSManagedObject.Type {
        guard let name = managedObjectClassName, name != "NSManagedObject" else { return NSManagedObject.self }
        guard let found = knownClass ?? ManagedClasses.named(name, modules: managedObjectModel?.modules ?? []) else {
            preconditionFailure("entity '\(self.name ?? "")': no class '\(name)' inherits from NSManagedObject")
        }
        return found
    }
}

extension NSManagedObject {
    /// Returns the entity of the class in the model of a context.
    static func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
        let matching = context.persistentStoreCoordinator?.managedObjectModel.entities(of: Self.self) ?? []
        guard let entity = matching.first, matching.count == 1 else {
            let name = NSStringFromClass(Self.self)
            preconditionFailure("\(matching.count) entities of the context's model have the class '\(name)'")
        }
        return entity
    }
}
