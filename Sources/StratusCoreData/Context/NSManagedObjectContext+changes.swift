extension NSManagedObjectContext {
    func table(of entity: NSEntityDescription) -> PropertyTable {
        if let known = tables[ObjectIdentifier(entity)] { return known }
        let table = PropertyTable(entity)
        tables[ObjectIdentifier(entity)] = table
        return table
    }

    func takeIDOfNextFault(of entity: NSEntityDescription) -> NSManagedObjectID? {
        guard let id = idOfNextFault, id.entity === entity else { return nil }
        idOfNextFault = nil
        return id
    }

    func register(_ object: NSManagedObject) {
        object.managedObjectContext = self
        objects.insert(object)
        if retainsRegisteredObjects { retained.insert(object) }
        if !object.usesCache, let store = object.objectID.store {
            store.cache.use(object.objectID.key)
            object.usesCache = true
        }
    }

    /// Makes an object belong to no context.
    func forget(_ object: NSManagedObject) {
        objects.remove(object.objectID)
        inserted.remove(object)
        updated.remove(object)
        deleted.remove(object)
        retained.remove(object)
        lockedObjects.remove(object)
        assignedStores[object] = nil
        object.managedObjectContext = nil
        object.isInserted = false
        object.dropRelationships()
    }

    /// Makes objects ones without changes, after they were saved.
    func endChanges(of objects: SavedObjects) {
        // Most saves are of all changes.
        inserted = inserted.count == objects.inserted.count ? [] : inserted.subtracting(objects.inserted)
        updated = updated.count == objects.updated.count ? [] : updated.subtracting(objects.updated)
        deleted = deleted.count == objects.deleted.count ? [] : deleted.subtracting(objects.deleted)
        for object in objects.inserted where !assignedStores.isEmpty { assignedStores[object] = nil }
    }

    /// The objects with changes that are not saved.
    var changedObjects: [NSManagedObject] { Array(inserted.union(updated).union(deleted)) }

    func noteChange(of object: NSManagedObject) {
        event.changed.insert(object)
        if !object.isInserted, !object.isDeleted { updated.insert(object) }
        scheduleProcessing()
    }

    /// Runs a block whose changes of objects do not count as changes.
    func withoutProcessing(_ body: () -> Void) {
        let former = processesChanges
        processesChanges = false
        defer { processesChanges = former }
        body()
    }

    /// Ends the event and returns the objects that changed in it.
    @discardableResult
    func endEvent() -> Set<NSManagedObject> {
        propagateDeletions()
        guard !event.isEmpty else { return [] }
        let ended = event
        event = ContextEvent()
        let userInfo = ended.userInfo
        let step = undoStep(of: ended)
        // A new object was never in a store, so that nothing remains to be deleted.
        let passed = ended.deleted.filter(\.isInserted)
        for object in passed {
            objects.remove(object.objectID)
            object.isInserted = false
            object.managedObjectContext = nil
            inserted.remove(object)
            deleted.remove(object)
        }
        if !userInfo.isEmpty { post(.NSManagedObjectContextObjectsDidChange, userInfo) }
        for object in ended.changed { object.changes?.beforeEvent = [:] }
        for object in passed where object.managedObjectContext == nil { forget(object) }
        if let step { register(step) }
        return ended.inserted.union(ended.changed).union(ended.deleted).subtracting(passed)
    }

    func restore(_ object: NSManagedObject) {
        object.isDeleted = false
        deleted.remove(object)
        event.deleted.remove(object)
        deletionsWithoutRules.removeAll { $0 === object }
        if object.isUpdated { updated.insert(object) }
    }

    // Cascades may lead back to where they began: an object that is deleted already is not deleted again.
    func propagateDeletions() {
        while !deletionsWithoutRules.isEmpty {
            let deleted = deletionsWithoutRules
            deletionsWithoutRules = []
            for object in deleted {
                for destination in object.applyDeleteRules() { delete(destination) }
            }
        }
    }

    /// Processes changes after the current turn of the queue, for programs that do not ask for it.
    func scheduleProcessing() {
        guard !isProcessingScheduled else { return }
        isProcessingScheduled = true
        queue.async { [weak self] in
            self?.isProcessingScheduled = false
            self?.processPendingChanges()
            self?.undoManager?.endEventGroup()
        }
    }
}
