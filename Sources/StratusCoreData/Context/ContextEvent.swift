import Foundation

/// The changes of a context's objects since it last processed changes.
struct ContextEvent {
    var inserted: Set<NSManagedObject> = []
    var changed: Set<NSManagedObject> = []
    var deleted: Set<NSManagedObject> = []
    /// The objects that took over values of the store.
    var refreshed: Set<NSManagedObject> = []
    /// The objects that became faults and lost their changes.
    var invalidated: Set<NSManagedObject> = []

    var isEmpty: Bool {
        inserted.isEmpty && changed.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
    }

    /// The sets of a notification, each object in one of them. An object that was inserted and deleted in the event is
    /// in none.
    var userInfo: [AnyHashable: Any] {
        let isNew = inserted.subtracting(deleted)
        let isUpdated = changed.subtracting(inserted).subtracting(deleted)
        return Self.userInfo([
            .insertedObjects: isNew,
            .updatedObjects: isUpdated,
            .deletedObjects: deleted.subtracting(inserted),
            .refreshedObjects: refreshed.subtracting(isNew).subtracting(isUpdated).subtracting(deleted),
            .invalidatedObjects: invalidated.subtracting(deleted),
        ])
    }

    /// Returns the sets that are not empty, by their keys.
    static func userInfo(_ sets: [NSManagedObjectContext.NotificationKey: Set<NSManagedObject>]) -> [AnyHashable: Any] {
        let present = sets.filter { !$1.isEmpty }.map { (AnyHashable($0.rawValue), $1 as Any) }
        return Dictionary(uniqueKeysWithValues: present)
    }
}
