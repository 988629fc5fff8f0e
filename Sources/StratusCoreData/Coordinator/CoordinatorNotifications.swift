import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of added stores in the notification of a coordinator.
public let NSAddedPersistentStoresKey = "added"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of removed stores in the notification of a coordinator.
public let NSRemovedPersistentStoresKey = "removed"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of a former store and the one that has taken its place, in the notification of a coordinator.
public let NSUUIDChangedPersistentStoresKey = "NSUUIDChangedPersistentStores"

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted by Apple's stores that were mirrored to the former iCloud, and never here.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChange")

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when a coordinator has opened or closed a store.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChange")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before a coordinator closes a store, which is the object of the notification.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStore")
}
