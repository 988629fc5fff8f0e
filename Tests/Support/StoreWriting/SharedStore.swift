import Foundation
import StratusCoreData

/// A store that several processes write, with a history and notifications of changes.
public struct SharedStore {
    /// The context for reading and writing.
    public let context: NSManagedObjectContext
    /// The coordinator with the store.
    public let coordinator: NSPersistentStoreCoordinator

    /// Opens a file, or creates it. Of two processes, the one that saves last prevails.
    public init(_ path: String) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true as NSNumber,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
        ]
        try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path), options: options)
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }

    /// Lists with items. An item has a number that identifies it, a value, and data that are kept in a file of their own if
    /// they are long.
    private static func model() -> NSManagedObjectModel {
        let (list, item) = (NSEntityDescription(), NSEntityDescription())
        (list.name, item.name) = ("List", "Item")
        let (items, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (items.name, items.destinationEntity, items.inverseRelationship) = ("items", item, owner)
        (owner.name, owner.destinationEntity, owner.inverseRelationship) = ("list", list, items)
        items.deleteRule = .nullifyDeleteRule
        owner.deleteRule = .nullifyDeleteRule
        owner.maxCount = 1
        let data = attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        list.properties = [attribute("name", .stringAttributeType), items]
        item.properties = [
            attribute("number", .integer64AttributeType), attribute("value", .integer64AttributeType), data, owner,
        ]
        let model = NSManagedObjectModel()
        model.entities = [list, item]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    /// Inserts an object. Used on the queue of the context.
    public func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (name, value) in values { object.setValue(value, forKey: name) }
        return object
    }

    /// Returns all objects of an entity. Used on the queue of the context.
    public func all(_ entity: String) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    /// Returns the transactions in the history, the first one first.
    public func history() throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        return try context.performAndWait {
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }
}
