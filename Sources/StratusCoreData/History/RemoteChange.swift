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
    /// ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``, also by another coordinator or process that opened
    /// the store so. It is posted on the thread of the save, or on a thread of its own after the save of another.
    public static let NSPersistentStoreRemoteChange = Notification.Name(
        "NSPersistentStoreRemoteChangeNotification")
}

extension NSPersistentStore {
    private var postsChanges: Bool {
        (options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber)?.boolValue == true
    }

    /// The path of the file; nil for a store in memory.
    private var path: String? { rows.isInMemory ? nil : url?.path }

    /// Begins to notice the saves of others, if the store was opened so.
    func watchForChanges() {
        if postsChanges { beginWatch() }
    }

    /// Calls a block after each save to the store, also by other coordinators and processes that keep its history.
    package func observeSaves(_ observer: @escaping @Sendable () -> Void) {
        saveObserver = observer
        if watch == nil { beginWatch() }
    }

    /// Calls a block before the store is removed from its coordinator.
    package func observeRemoval(_ observer: @escaping @Sendable () -> Void) { removalObserver = observer }

    private func beginWatch() {
        guard let path else { return }
        // The program reads the store as it is now, and is notified only of later changes.
        _ = try? rows.hasChangedElsewhere()
        watch = StoreWatch(path) { [weak self] in
            guard let self, (try? self.rows.hasChangedElsewhere()) == true else { return }
            self.saveObserver?()
            if self.postsChanges { self.postChange() }
        }
    }

    /// Notifies observers of a save, in other processes, too, if the store was opened so.
    func notifyOfChange() {
        // Another process may mirror a store with a history.
        if let path, postsChanges || rows.recordsHistory { StoreWatch.touch(path) }
        saveObserver?()
        if postsChanges { postChange() }
    }

    private func postChange() {
        guard let coordinator = persistentStoreCoordinator else { return }
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
