import Foundation

extension NSManagedObjectContext {
    /// The coordinator with the stores of the objects.
    var coordinator: NSPersistentStoreCoordinator? { persistentStoreCoordinator }

    /// The place where objects come from: the parent, or the stores in the state that the context is pinned to.
    var source: (any ObjectSource)? { get throws { try parent ?? pinned() ?? coordinator?.source(for: self) } }

    private var interval: TimeInterval? { stalenessInterval < 0 ? nil : stalenessInterval }

    /// Returns the store of an object, or the one that it will be saved to.
    func store(of object: NSManagedObject) -> NSPersistentStore? {
        object.objectID.store ?? assignedStores[object] ?? coordinator?.storeForNew(object.entity)
    }

    func mapping(of object: NSManagedObject) -> RowMapping? {
        store(of: object).flatMap { object.table.mapping(for: $0) }
    }

    /// Returns the ID of a row in the store of an object.
    func id(of key: RowKey, beside object: NSManagedObject) -> NSManagedObjectID? {
        store(of: object).flatMap { coordinator?.id(of: key, in: $0) }
    }

    /// Reads the values of a fault.
    func fire(_ object: NSManagedObject) {
        do {
            if let batch = object.batch { try source?.load(batch.ids) }
            if let row = try source?.row(of: object.objectID, notOlderThan: interval) { return object.realize(row) }
        } catch {
            // Apple raises an exception. A property cannot throw, and wrong values would be saved.
            preconditionFailure("CoreData: the values of \(object.objectID) cannot be read: \(error)")
        }
        precondition(
            shouldDeleteInaccessibleFaults, "CoreData could not fulfill a fault for '\(object.objectID)'")
        object.becomeInaccessible()
    }

    func destinationIDs(of relationship: NSRelationshipDescription, from object: NSManagedObject) -> [NSManagedObjectID]
    {
        do {
            return try source?.destinations(of: relationship, from: object.objectID) ?? []
        } catch {
            preconditionFailure(
                "CoreData: the destinations of '\(relationship.name)' of \(object.objectID) cannot be read: \(error)")
        }
    }

    func existing(_ id: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        let id = currentID(of: id)
        if let known = objects[id], !known.isFault {
            guard known.isDeleted else { return known }
            throw Self.missing(id)
        }
        // The row cache keeps rows of registered objects.
        let object = object(with: id)
        guard let row = try source?.row(of: id, notOlderThan: interval) else { throw Self.missing(id) }
        if object.isFault { object.realize(row) }
        return object
    }

    private static func missing(_ id: NSManagedObjectID) -> NSError {
        CocoaError.make(.managedObjectReferentialIntegrity, "there is no object with the ID \(id)")
    }

    func refreshObject(_ object: NSManagedObject, keepsChanges: Bool) {
        checkQueue()
        guard object.managedObjectContext === self, !object.isInserted else { return }
        object.changes?.fetched = [:]
        guard !object.isFault else { return }
        defer { scheduleProcessing() }
        if keepsChanges {
            let row: StoredRow?
            // An object whose row cannot be read now stays as it is, with its changes.
            do { row = try source?.row(of: object.objectID, notOlderThan: interval) } catch { return }
            if let row {
                object.rebase(on: row)
                event.refreshed.insert(object)
                withoutProcessing { object.awake(fromSnapshotEvents: .refresh) }
                return
            }
        }
        object.turnIntoFault()
        updated.remove(object)
        event.changed.remove(object)
        event.invalidated.insert(object)
    }
}

extension NSManagedObject {
    /// Becomes a deleted object without values, because its row no longer exists.
    func becomeInaccessible() {
        states = table.emptyStates
        isFault = false
        isDeleted = true
        batch = nil
    }
}
