import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of inserted objects in the notifications of a context.
public let NSInsertedObjectsKey = "inserted"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of updated objects in the notifications of a context.
public let NSUpdatedObjectsKey = "updated"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of deleted objects in the notifications of a context.
public let NSDeletedObjectsKey = "deleted"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of objects that took over values of the store, in the notifications of a context.
public let NSRefreshedObjectsKey = "refreshed"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The set of objects that became faults and lost their changes, in the notifications of a context.
public let NSInvalidatedObjectsKey = "invalidated"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of the IDs of all objects of a context that was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when a context has processed changes of objects.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before a context saves.
    public static let NSManagedObjectContextWillSave = Notification.Name(
        "NSManagingContextWillSaveChangesNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after a context has saved, with the sets of inserted, updated and deleted objects.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after a context has saved, with the sets of the IDs of inserted, updated and deleted objects.
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after a context has taken over changes of another one, with the sets of the IDs of the objects.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// Posted when a context has processed changes of objects.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
    /// Posted before a context saves.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// Posted after a context has saved, with the sets of inserted, updated and deleted objects.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Posted after a context has saved, with the sets of the IDs of inserted, updated and deleted objects.
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// Posted after a context has taken over changes of another one, with the sets of the IDs of the objects.
    public static let didMergeChangesObjectIDsNotification = Notification.Name
        .NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of what notifications of a context contain.
    public enum NotificationKey: String, Sendable {
        case queryGeneration = "newQueryGeneration"
        case invalidatedAllObjects = "invalidatedAll"
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        case invalidatedObjects = "invalidated"
        case insertedObjectIDs = "inserted_objectIDs"
        case updatedObjectIDs = "updated_objectIDs"
        case deletedObjectIDs = "deleted_objectIDs"
        case refreshedObjectIDs = "refreshed_objectIDs"
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
