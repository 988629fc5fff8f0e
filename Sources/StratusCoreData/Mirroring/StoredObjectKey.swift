/// The place of an object in its store.
package struct StoredObjectKey: Hashable, Comparable, Sendable {
    /// The name of the entity.
    package var entity: String
    package var primaryKey: Int64

    package init(entity: String, primaryKey: Int64) {
        self.entity = entity
        self.primaryKey = primaryKey
    }

    package static func < (left: StoredObjectKey, right: StoredObjectKey) -> Bool {
        (left.entity, left.primaryKey) < (right.entity, right.primaryKey)
    }
}

extension NSManagedObjectID {
    /// The place in the store; nil for a temporary ID.
    package var storedKey: StoredObjectKey? {
        store == nil ? nil : StoredObjectKey(entity: entity.name ?? "", primaryKey: number)
    }
}

extension NSPersistentStore {
    /// Returns the ID of the object at a place; nil if the store does not keep the entity. The object need not exist.
    package func objectID(_ key: StoredObjectKey) -> NSManagedObjectID? {
        guard let entity = persistentStoreCoordinator?.entities[key.entity], contains(entity) else { return nil }
        return NSManagedObjectID(entity: entity, store: self, number: key.primaryKey)
    }
}
