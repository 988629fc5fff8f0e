import Foundation

/// Writes the changed objects of a context to the stores of a coordinator.
struct ContextSave {
    private let context: NSManagedObjectContext
    private let objects: SavedObjects
    private let keys: PermanentKeys

    init(
        _ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator, _ objects: SavedObjects
    ) throws {
        self.context = context
        self.objects = objects
        keys = try PermanentKeys(context, coordinator, objects.inserted)
    }

    /// Each store is saved in one transaction of its own.
    func run() throws {
        var byStore: [NSPersistentStore: StoreChanges] = [:]
        let encoder = RowEncoder(context, keys)
        for object in objects.inserted.sorted(by: { $0.objectID.number < $1.objectID.number }) {
            guard let store = keys.stores[object] else { continue }
            try byStore[store, default: StoreChanges()].insert(object, encoder)
        }
        for object in objects.updated {
            guard let store = object.objectID.persistentStore else { continue }
            try byStore[store, default: StoreChanges()].update(object, encoder)
        }
        for object in objects.deleted {
            guard let store = object.objectID.persistentStore else { continue }
            byStore[store, default: StoreChanges()].delete(object)
        }
        for (store, changes) in byStore {
            var changes = changes
            changes.setOrigin(SaveOrigin(of: context))
            let versions = try Self.save(changes, in: store)
            finish(changes, versions, in: store)
            store.notifyOfChange()
        }
        // An object whose values are those of its row has nothing to write.
        for object in objects.updated { object.changes = nil }
    }

    private static func save(_ changes: StoreChanges, in store: NSPersistentStore) throws -> [RowKey: Int64] {
        try CoreDataError.inCocoa {
            do {
                return try store.rows.save(changes.rows)
            } catch SaveFailure.conflicts {
                throw CocoaError.make(.managedObjectMerge, "objects have changed in the store since they were read")
            } catch SaveFailure.uniqueness {
                throw CocoaError.make(.managedObjectConstraintMerge, "values that must be unique are not")
            }
        }
    }

    private func finish(_ changes: StoreChanges, _ versions: [RowKey: Int64], in store: NSPersistentStore) {
        var written: [StoredRow] = []
        for (object, row) in changes.written {
            let saved = StoredRow(key: row.key, version: versions[row.key] ?? row.version, values: row.values)
            if let id = keys.id(of: object) { context.changeID(of: object, to: id) }
            object.takeSavedRow(saved)
            written.append(saved)
        }
        store.cache.put(written)
        store.cache.forget(changes.rows.deleted.map(\.key))
    }
}

/// The changes of a save for one store.
struct StoreChanges {
    private(set) var rows = RowChanges()
    /// The objects whose rows are written, with their new rows.
    private(set) var written: [(NSManagedObject, StoredRow)] = []

    /// Notes the program and context of the save.
    mutating func setOrigin(_ origin: SaveOrigin) { rows.origin = origin }

    mutating func insert(_ object: NSManagedObject, _ encoder: RowEncoder) throws {
        let row = try encoder.row(of: object)
        rows.inserted.append(row)
        rows.toMany += try encoder.toManyChanges(of: object)
        written.append((object, row))
    }

    mutating func update(_ object: NSManagedObject, _ encoder: RowEncoder) throws {
        guard let former = object.row else { return }
        let row = try encoder.row(of: object)
        let changed = row.values.indices.filter { row.values[$0] != former.values[$0] }
        guard !changed.isEmpty || object.hasChangedDestinations else { return }
        rows.updated.append(RowUpdate(row: row, changed: changed))
        rows.toMany += try encoder.toManyChanges(of: object)
        written.append((object, row))
    }

    mutating func delete(_ object: NSManagedObject) {
        // The row of an object that was deleted as a fault is read for its version.
        _ = object.state(at: 0)
        guard let row = object.row else { return }
        rows.deleted.append(RowDeletion(key: row.key, version: row.version))
    }
}
