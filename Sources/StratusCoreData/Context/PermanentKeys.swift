import Foundation

/// The stores and rows of new objects that are about to be saved.
struct PermanentKeys {
    private struct Place {
        let object: NSManagedObject
        let store: NSPersistentStore
        /// The row; nil for an object that has a permanent ID already.
        var key: RowKey?
    }

    private struct Group: Hashable {
        let store: ObjectIdentifier
        let entity: ObjectIdentifier
    }

    private var places: [ObjectIdentifier: Place] = [:]
    private lazy var objectsByKey = Dictionary(
        places.values.compactMap { place in place.key.map { ($0, [place]) } }, uniquingKeysWith: +)

    /// Reserves primary keys for new objects that have no permanent ID yet.
    init(_ context: NSManagedObjectContext, _ objects: Set<NSManagedObject>) throws {
        var groups: [Group: [NSManagedObject]] = [:]
        var usual: [ObjectIdentifier: NSPersistentStore] = [:]
        var related = RelatedStores(context)
        places.reserveCapacity(objects.count)
        // Rows are in the order in which the objects were made.
        for object in objects.sorted(by: { $0.objectID.number < $1.objectID.number }) {
            let entity = ObjectIdentifier(object.entity)
            let own = object.objectID.store ?? context.assignedStores[object] ?? related.store(of: object)
            guard let store = own ?? usual[entity] ?? context.store(of: object) else {
                throw CocoaError.make(
                    .persistentStoreSave, "no store that can be changed keeps the entity '\(object.entity.name ?? "")'")
            }
            if own == nil { usual[entity] = store }
            places[ObjectIdentifier(object)] = Place(object: object, store: store)
            guard object.objectID.isTemporaryID else { continue }
            groups[Group(store: ObjectIdentifier(store), entity: entity), default: []].append(object)
        }
        for objects in groups.values {
            guard let first = objects.first, let store = store(of: first) else { continue }
            let name = first.entity.name ?? ""
            let obtained = try CoreDataError.inCocoa { try store.keys(for: objects, of: name) }
            for (object, key) in zip(objects, obtained) { places[ObjectIdentifier(object)]?.key = key }
        }
    }

    /// Returns the store of an object; nil for a new object that is not among those to save.
    func store(of object: NSManagedObject) -> NSPersistentStore? {
        object.objectID.store ?? places[ObjectIdentifier(object)]?.store
    }

    /// Returns the row of an object; nil for a new object that is not among those to save.
    func key(of object: NSManagedObject) -> RowKey? {
        object.objectID.rowKey ?? places[ObjectIdentifier(object)]?.key
    }

    /// Returns the new object that a row is reserved for.
    mutating func object(of key: RowKey, in store: NSPersistentStore) -> NSManagedObject? {
        objectsByKey[key]?.first { $0.store === store }?.object
    }

    /// Gives objects the IDs of their rows.
    func assignIDs(of objects: [NSManagedObject], in context: NSManagedObjectContext) {
        for object in objects { if let id = id(of: object) { context.changeID(of: object, to: id) } }
    }

    func id(of object: NSManagedObject) -> NSManagedObjectID? {
        guard let place = places[ObjectIdentifier(object)], let key = place.key else {
            return object.objectID.isTemporaryID ? nil : object.objectID
        }
        return NSManagedObjectID(entity: object.entity, store: place.store, number: key.primaryKey)
    }
}
