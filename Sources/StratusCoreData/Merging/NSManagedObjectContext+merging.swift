import Foundation

extension NSManagedObjectContext {
    /// Takes over what another context of the coordinator has saved. Changes of this context stay.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        checkQueue()
        merge(SavedChanges(notification.userInfo ?? [:], coordinator))
    }

    /// Takes over what another process has saved: IDs or URIs of objects by the keys of notifications.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            context.performAndWait {
                let changes = SavedChanges(changeNotificationData, context.coordinator)
                for id in changes.updated.union(changes.deleted) { id.store?.cache.forget([id.key]) }
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
        event.refreshed.subtract(refreshed.union(deleted))
        let userInfo = ContextEvent.userInfo([
            .insertedObjects: inserted, .refreshedObjects: refreshed.subtracting(deleted), .deletedObjects: deleted,
        ])
        if !userInfo.isEmpty { post(.NSManagedObjectContextObjectsDidChange, userInfo) }
        for object in deleted { discard(object) }
        post(Self.didMergeChangesObjectIDsNotification, changes.userInfo)
    }
}
