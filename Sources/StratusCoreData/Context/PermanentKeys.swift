import Foundation

/// The stores and rows of objects that are about to be saved.
struct PermanentKeys {
    private(set) var stores: [NSManagedObject: NSPersistentStore] = [:]
    private var keys: [NSManagedObject: RowKey] = [:]
    private var newObjects: [RowKey: [NSManagedObject]] = [:]
    private let coordinator: NSPersistentStoreCoordinator

    /// Reserves primary keys for new objects that have no permanent ID yet.
    init(
        _ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator, _ objects: Set<NSManagedObject>
    ) throws {
        self.coordinator = coordinator
        var waiting: [NSPersistentStore: [NSManagedObject]] = [:]
        for object in objects {
            guard let store = context.store(of: object) else {
                throw CocoaError.make(
                    .persistentStoreSave, "no store that can be changed keeps the entity '\(object.entity.name ?? "")'")
            }
            stores[object] = store
            if object.objectID.isTemporaryID { waiting[store, default: []].append(object) }
        }
        for (store, objects) in waiting {
            let byEntity = Dictionary(grouping: objects) { $0.entity.name ?? "" }
            let obtained = try CoreDataError.inCocoa { try store.rows.obtainKeys(byEntity.mapValues(\.count)) }
            for (entity, objects) in byEntity {
                // Rows are in the order in which the objects were made.
                let ordered = objects.sorted { $0.objectID.number < $1.objectID.number }
                for (object, key) in zip(ordered, obtained[entity] ?? []) {
                    keys[object] = key
                    newObjects[key, default: []].append(object)
                }
            }
        }
    }

    /// Returns the row of an object; nil for a new object that is not among those to save.
    func key(of object: NSManagedObject) -> RowKey? { object.objectID.rowKey ?? keys[object] }

    /// Returns the new object that a row is reserved for.
    func object(of key: RowKey, in store: NSPersistentStore) -> NSManagedObject? {
        newObjects[key]?.first { stores[$0] === store }
    }

    func id(of object: NSManagedObject) -> NSManagedObjectID? {
        guard let key = keys[object], let store = stores[object] else {
            return object.objectID.store.map { _ in object.objectID }
        }
        return coordinator.id(of: key, in: store)
    }
}
