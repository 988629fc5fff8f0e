import Foundation

/// The changes of a context's objects since it last processed changes.
struct ContextEvent {
    /// The objects in the order of their insertion.
    var inserted: [NSManagedObject] = []
    var changed: Set<NSManagedObject> = []
    /// The objects in the order of their deletion.
    var deleted: [NSManagedObject] = []

    var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

    /// The sets of a notification, each object in one of them. An object that was inserted and deleted in the event is
    /// in none.
    var userInfo: [AnyHashable: Any] {
        let inserted = Set(inserted)
        let deleted = Set(deleted)
        let sets = [
            NSInsertedObjectsKey: inserted.subtracting(deleted),
            NSUpdatedObjectsKey: changed.subtracting(inserted).subtracting(deleted),
            NSDeletedObjectsKey: deleted.subtracting(inserted),
        ]
        return Dictionary(uniqueKeysWithValues: sets.filter { !$1.isEmpty }.map { (AnyHashable($0), $1 as Any) })
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of inserted objects in the notifications of a context.
public let NSInsertedObjectsKey = "inserted"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of updated objects in the notifications of a context.
public let NSUpdatedObjectsKey = "updated"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of deleted objects in the notifications of a context.
public let NSDeletedObjectsKey = "deleted"

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when a context has processed changes of objects.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
}
