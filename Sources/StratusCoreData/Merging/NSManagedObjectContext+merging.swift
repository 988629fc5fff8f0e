import Foundation

extension NSManagedObjectContext {
    /// Takes over what another context of the coordinator has saved. Changes of this context stay.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        checkQueue()
        let changes = SavedChanges(notification.userInfo ?? [:], coordinator)
        // A save of the coordinator has put its rows into the row cache. Others need not have.
        let origin = (notification.object as? NSManagedObjectContext)?.coordinator
        if origin == nil || origin !== coordinator { changes.forgetRows() }
        merge(changes)
    }

    /// Takes over what another process has saved: IDs or URIs of objects by the keys of notifications.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            context.performAndWait {
                let changes = SavedChanges(changeNotificationData, context.coordinator)
                changes.forgetRows()
                context.merge(changes)
            }
        }
    }

    func updateMerging() {
        let contexts = parent?.children ?? coordinator?.mergingContexts
        if automaticallyMergesChangesFromParent { contexts?.add(self) } else { contexts?.remove(self) }
    }

    func merge(_ changes: SavedChanges) {
        endEvent()
        advanceGeneration()
        let inserted = Set(changes.inserted.map { object(with: $0) })
        var refreshed: Set<NSManagedObject> = []
        for object in changes.updated.compactMap({ objects[$0] }) where !object.isInserted {
            refreshed.insert(object)
            if !object.isFault { refreshObject(object, keepsChanges: true) }
        }
        let deleted = Set(changes.deleted.compactMap { objects[$0] })
        for object in deleted {
            object.isDeleted = true
            event.changed.remove(object)
            event.deleted.remove(object)
        }
        if !deleted.isEmpty {
            for object in objects.objects where !object.isDeleted { object.unlinkAll(deleted) }
        }
        event.refreshed.subtract(refreshed.union(deleted))
        let userInfo = ContextEvent.userInfo([
            .insertedObjects: inserted, .refreshedObjects: refreshed.subtracting(deleted), .deletedObjects: deleted,
        ])
        if !userInfo.isEmpty { post(.NSManagedObjectContextObjectsDidChange, userInfo) }
        for object in deleted { discard(object) }
        post(Self.didMergeChangesObjectIDsNotification, changes.userInfo)
        // What others have changed is not undone here.
        if undoManager != nil { withoutUndo { endEvent() } }
    }
}

extension SavedChanges {
    /// Makes contexts read the changed rows again from their stores.
    fileprivate func forgetRows() {
        for id in updated.union(deleted) { id.store?.cache.forget([id.key]) }
    }
}

extension NSManagedObject {
    /// Removes objects that no longer exist from the relationships that have been read. That is not a change of the
    /// object, but the base of a change may have led to them, too.
    fileprivate func unlinkAll(_ objects: Set<NSManagedObject>) {
        for (position, property) in table.properties.enumerated()
        where property.relationship != nil && states.indices.contains(position) {
            states[position] = states[position].without(objects)
            if let base = changes?.committed[position] { changes?.committed[position] = base.without(objects) }
        }
    }
}

extension PropertyState {
    /// Returns the state without some destinations.
    fileprivate func without(_ objects: Set<NSManagedObject>) -> PropertyState {
        switch self {
        case .object(let object): return objects.contains(object) ? .null : self
        case .objects(var collection):
            for object in destinations where objects.contains(object) { collection.remove(object) }
            return .objects(collection)
        case .stored, .null, .value: return self
        }
    }
}
