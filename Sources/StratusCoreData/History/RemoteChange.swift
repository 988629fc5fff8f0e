import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The URL of the store in the notification of a change.
public let NSPersistentStoreURLKey = "storeURL"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The position after the change in the notification of a change, an ``NSPersistentHistoryToken``.
public let NSPersistentHistoryTokenKey = "historyToken"

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted by a coordinator after a save to a store that was opened with
    /// ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``. It is posted on the thread of the save.
    public static let NSPersistentStoreRemoteChange = Notification.Name(
        "NSPersistentStoreRemoteChangeNotification")
}

extension NSPersistentStore {
    /// Notifies observers of a save, if the store was opened so.
    func notifyOfChange() {
        let option = options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber
        guard option?.boolValue == true, let coordinator = persistentStoreCoordinator else { return }
        var userInfo: [AnyHashable: Any] = [NSStoreUUIDKey: rows.identifier]
        if let url { userInfo[NSPersistentStoreURLKey] = url }
        if let token = coordinator.currentPersistentHistoryToken(fromStores: [self]) {
            userInfo[NSPersistentHistoryTokenKey] = token
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo)
    }
}

extension SaveOrigin {
    /// The origin of what a context saves.
    init(of context: NSManagedObjectContext) {
        self.init(
            author: context.transactionAuthor, contextName: context.name,
            bundleIdentifier: Bundle.main.bundleIdentifier, process: ProcessInfo.processInfo.processName)
    }
}
