import Foundation

/// Writes the changed objects of a context to the stores of its coordinator.
final class ContextSave {
    /// Attempts of a save whose conflicts are resolved while others go on saving.
    static let attempts = 100

    /// The objects that have been written.
    private(set) var saved = SavedObjects()

    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator
    private var keys: PermanentKeys

    init(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) throws {
        self.context = context
        self.coordinator = coordinator
        keys = try PermanentKeys(context, context.insertedObjects)
    }

    /// Each store is saved in one transaction of its own. If one fails after others have been saved, the error names it.
    func run() throws {
        for store in coordinator.persistentStores {
            do {
                try CoreDataError.inCocoa { try store.writeNewMetadata() }
                try save(to: store)
            } catch  where !saved.isEmpty {
                throw CocoaError.make(
                    .persistentStoreIncompleteSave, "not all stores were saved: \(error.localizedDescription)",
                    [
                        NSAffectedStoresErrorKey: [store], NSAffectedObjectsErrorKey: context.changedObjects,
                        NSUnderlyingErrorKey: error,
                    ])
            }
        }
        guard !context.hasChanges else {
            throw CocoaError.make(.persistentStoreSave, "the store of changed objects was removed from the coordinator")
        }
    }

    private func save(to store: NSPersistentStore) throws {
        var conflicts: [Any] = []
        for _ in 0..<Self.attempts {
            let changes = try changes(for: store)
            guard !changes.isEmpty else { return }
            // A store of the program's own class receives the objects.
            if store.savesObjects { keys.assignIDs(of: changes.inserted, in: context) }
            do {
                let rows = try CoreDataError.inCocoa { try store.save(changes, of: context) }
                finish(changes, rows, in: store)
                return store.notifyOfChange()
            } catch let failure as SaveFailure {
                conflicts = try resolve(failure, in: store)
            }
        }
        throw CocoaError.make(
            .persistentStoreSaveConflicts, "after \(Self.attempts) attempts, objects still conflict",
            [NSPersistentStoreSaveConflictsErrorKey: conflicts, NSAffectedStoresErrorKey: [store]])
    }

    private func changes(for store: NSPersistentStore) throws -> StoreChanges {
        var changes = StoreChanges(context)
        let keys = keys
        let encoder = RowEncoder(storeOf: { keys.store(of: $0) ?? self.context.store(of: $0) }, keyOf: keys.key)
        func isHere(_ object: NSManagedObject) -> Bool { keys.store(of: object) === store }
        // Rows are in the order in which the objects were made.
        for object in context.insertedObjects.filter(isHere).sorted(by: { $0.objectID.number < $1.objectID.number }) {
            try changes.insert(object, encoder)
        }
        for object in context.updated.filter(isHere) { try changes.update(object, encoder) }
        for object in context.deletedObjects.filter(isHere) { changes.delete(object) }
        for object in context.lockedObjects.filter(isHere) { changes.lock(object) }
        if let next = context.storeWork, next.store === store { changes.add(next.work) }
        return changes
    }

    private func finish(_ changes: StoreChanges, _ result: SavedRows, in store: NSPersistentStore) {
        var rows: [StoredRow] = []
        for (object, row) in changes.written {
            // A save of many new rows has neither updated nor derived ones.
            let derived = result.derived.isEmpty ? nil : result.derived[row.key]
            let version = result.versions.isEmpty ? nil : result.versions[row.key]
            let saved =
                derived ?? StoredRow(key: row.key, version: version ?? SavedRows.firstVersion, values: row.values)
            if let id = keys.id(of: object) { context.changeID(of: object, to: id) }
            object.takeSavedRow(saved)
            rows.append(saved)
        }
        for object in changes.unwritten { object.forgetChanges() }
        if context.storeWork?.store === store { context.storeWork = nil }
        store.cache.put(rows)
        store.cache.put(result.derived.values)
        store.cache.forget(changes.rows.deleted.map(\.key))
        let now = SavedObjects(
            inserted: Set(changes.inserted), updated: Set(changes.updated), deleted: Set(changes.deleted))
        saved.add(now)
        context.endChanges(of: now)
    }

    /// Lets the merge policy of the context resolve conflicts, and returns them.
    private func resolve(_ failure: SaveFailure, in store: NSPersistentStore) throws -> [Any] {
        let policy = context.mergePolicy as? NSMergePolicy ?? .error
        let found: [Any]
        switch failure {
        case .conflicts(let conflicts):
            found = conflicts.compactMap { conflict -> NSMergeConflict? in
                guard let object = object(conflict.key, in: store) else { return nil }
                return NSMergeConflict(object, conflict, cached: store.cache.row(conflict.key))
            }
            // The row cache learns what the store has now.
            store.cache.put(conflicts.compactMap(\.stored))
            store.cache.forget(conflicts.filter { $0.stored == nil }.map(\.key))
        case .uniqueness(let conflicts): found = conflicts.map { conflict(for: $0, in: store) }
        }
        try policy.resolve(mergeConflicts: found)
        context.withoutUndo { context.endEvent() }
        return found
    }

    private func conflict(for conflict: UniquenessConflict, in store: NSPersistentStore) -> NSConstraintConflict {
        let objects = conflict.saved.compactMap { object($0, in: store) }
        let stored = conflict.stored.flatMap { row -> NSManagedObject? in
            guard let object = object(row.key, in: store) else { return nil }
            store.cache.put([row])
            return object
        }
        return NSConstraintConflict(
            constraint: conflict.attributes, database: stored,
            databaseSnapshot: conflict.stored.flatMap { stored?.snapshot($0) }, conflicting: objects,
            conflictingSnapshots: objects.map { object in object.row.map { object.snapshot($0) } ?? [:] })
    }

    private func object(_ key: RowKey, in store: NSPersistentStore) -> NSManagedObject? {
        if let new = keys.object(of: key, in: store) { return new }
        return coordinator.id(of: key, in: store).map { context.object(with: $0) }
    }
}

/// The changes of a save for one store.
struct StoreChanges {
    private(set) var rows = RowChanges()
    /// The objects whose rows are written, with their new rows.
    private(set) var written: [(NSManagedObject, StoredRow)] = []
    /// The objects whose values are those of their rows.
    private(set) var unwritten: Set<NSManagedObject> = []
    private(set) var inserted: [NSManagedObject] = []
    private(set) var updated: [NSManagedObject] = []
    private(set) var deleted: [NSManagedObject] = []
    /// The objects without changes whose rows must be unchanged, too.
    private(set) var locked: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext) {
        rows.origin = SaveOrigin(of: context)
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Adds work to the transaction of the save.
    mutating func add(_ work: @escaping StoreWork) { rows.work = work }

    mutating func insert(_ object: NSManagedObject, _ encoder: RowEncoder) throws {
        let row = try encoder.row(of: object)
        inserted.append(object)
        rows.inserted.append(row)
        rows.toMany += try encoder.toManyChanges(of: object)
        written.append((object, row))
    }

    mutating func update(_ object: NSManagedObject, _ encoder: RowEncoder) throws {
        updated.append(object)
        guard let former = object.row else {
            unwritten.insert(object)
            return
        }
        let row = try encoder.row(of: object)
        let changed = row.values.indices.filter { row.values[$0] != former.values[$0] }
        guard !changed.isEmpty || object.hasChangedDestinations else {
            unwritten.insert(object)
            return
        }
        rows.updated.append(RowUpdate(row: row, changed: changed))
        rows.toMany += try encoder.toManyChanges(of: object)
        written.append((object, row))
    }

    /// Makes the save fail if the row of an object has changed since it was read.
    mutating func lock(_ object: NSManagedObject) {
        guard !object.hasChanges, let row = object.row else { return }
        locked.append(object)
        rows.checked.append(RowVersion(key: row.key, version: row.version))
    }

    mutating func delete(_ object: NSManagedObject) {
        deleted.append(object)
        // The row of an object that was deleted as a fault is read for its version.
        object.fireFault()
        guard let row = object.row else { return }
        rows.deleted.append(RowDeletion(key: row.key, version: row.version))
    }
}
