import Foundation

extension NSManagedObjectContext {
    /// Rounds of changes that `willSave` may make before a save gives up.
    static let roundsOfWillSave = 1_000

    func saveChanges() throws {
        checkQueue()
        takeOverIDs()
        endEvent()
        guard hasChanges else { return }
        advanceGeneration()
        defer { advanceGeneration() }
        if !isBatch {
            post(.NSManagedObjectContextWillSave)
            try runWillSave()
            if validatesChanges { try validateChanges() }
            endEvent()
        }
        if let parent { return finish(try save(to: parent)) }
        guard let coordinator else { throw CocoaError.make(.coreData, "the context has no coordinator") }
        let save = try ContextSave(self, coordinator)
        // Stores before one that fails have been saved.
        defer { if !save.saved.isEmpty { finish(save.saved) } }
        try save.run()
    }

    /// Calls `willSave` on all changed objects, and again on those that it changes.
    private func runWillSave() throws {
        var waiting = inserted.union(updated).union(deleted)
        endEvent()
        for _ in 0..<Self.roundsOfWillSave {
            if waiting.isEmpty { return }
            for object in waiting { object.willSave() }
            waiting = endEvent()
        }
        throw CocoaError.make(
            .coreData, "after \(Self.roundsOfWillSave) rounds of willSave, objects still change")
    }

    private func validateChanges() throws {
        var errors: [NSError] = []
        func collect(_ objects: Set<NSManagedObject>, _ validate: (NSManagedObject) throws -> Void) {
            for object in objects.sorted(by: { $0.objectID.number < $1.objectID.number }) {
                do { try validate(object) } catch { errors.append(error as NSError) }
            }
        }
        collect(deletedObjects) { try $0.validateForDelete() }
        collect(insertedObjects) { try $0.validateForInsert() }
        collect(updated) { try $0.validateForUpdate() }
        try NSManagedObject.throwTogether(errors)
    }

    /// Ends a save: nothing is changed any more, and observers are notified.
    private func finish(_ saved: SavedObjects) {
        lockedObjects = []
        guard !isBatch else { return }
        for object in saved.inserted.union(saved.updated) { object.didSave() }
        for object in saved.deleted {
            object.isDeleted = false
            object.didSave()
        }
        post(
            .NSManagedObjectContextDidSave,
            ContextEvent.userInfo([
                .insertedObjects: saved.inserted, .updatedObjects: saved.updated, .deletedObjects: saved.deleted,
            ]))
        let changes = saved.changes
        post(Self.didSaveObjectIDsNotification, changes.userInfo)
        for object in saved.deleted { forget(object) }
        objects.release(saved.inserted)
        children.merge(changes, savedBy: self)
        (parent?.children ?? coordinator?.mergingContexts)?.merge(changes, savedBy: self)
    }

    func obtainIDs(_ objects: [NSManagedObject]) throws {
        checkQueue()
        let new = objects.filter { $0.objectID.isTemporaryID && $0.managedObjectContext === self && !$0.isFault }
        guard coordinator != nil else { throw CocoaError.make(.coreData, "the context has no coordinator") }
        try PermanentKeys(self, Set(new)).assignIDs(of: new, in: self)
    }

    func changeID(of object: NSManagedObject, to id: NSManagedObjectID) {
        guard object.objectID.isTemporaryID else { return }
        notePermanentID(id, for: object.objectID)
        objects.remove(object.objectID)
        object.objectID = id
        register(object)
    }

    func discardChanges() {
        checkQueue()
        endEvent()
        var event = ContextEvent()
        event.changed = updated
        event.inserted = deletedObjects
        event.deleted = insertedObjects
        for object in deleted.union(updated) {
            object.isDeleted = false
            object.restoreCommittedStates()
        }
        let userInfo = ContextEvent.userInfo([
            .insertedObjects: event.inserted, .updatedObjects: event.changed, .deletedObjects: event.deleted,
        ])
        let (new, restored) = (inserted, updated.union(deletedObjects))
        (inserted, updated, deleted, lockedObjects) = ([], [], [], [])
        withoutProcessing {
            for object in restored { object.awake(fromSnapshotEvents: .rollback) }
        }
        if !userInfo.isEmpty { post(.NSManagedObjectContextObjectsDidChange, userInfo) }
        for object in new { forget(object) }
        undoManager?.removeAllActions()
    }
}

/// The objects that a save has written.
struct SavedObjects {
    var inserted: Set<NSManagedObject> = []
    var updated: Set<NSManagedObject> = []
    var deleted: Set<NSManagedObject> = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    mutating func add(_ others: SavedObjects) {
        if isEmpty {
            self = others
            return
        }
        inserted.formUnion(others.inserted)
        updated.formUnion(others.updated)
        deleted.formUnion(others.deleted)
    }

    var changes: SavedChanges {
        SavedChanges(
            inserted: Set(inserted.map(\.objectID)), updated: Set(updated.map(\.objectID)),
            deleted: Set(deleted.map(\.objectID)))
    }
}

extension NSManagedObject {
    /// Gives changed properties the values that they had when the object was read or saved.
    func restoreCommittedStates() {
        for (position, state) in changes?.committed ?? [:] { setState(state, at: position) }
        forgetChanges()
    }

    /// Takes the row that a save has written as the base of later changes.
    func takeSavedRow(_ row: StoredRow) {
        self.row = row
        isInserted = false
        forgetChanges()
        guard !states.isEmpty else { return }
        for (position, property) in table.properties.enumerated() {
            if !property.isKept, !property.isTransient { states[position] = .stored }
        }
        if states.allSatisfy(\.isStored) { states = [] }
    }
}
