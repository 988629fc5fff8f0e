import Foundation
import Synchronization

// The model does not change once it is in use, and the lock protects the stores.
/// The owner of the model that contexts and their objects use, and of the stores.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model.
    public let managedObjectModel: NSManagedObjectModel

    /// The entities by their names.
    let entities: [String: NSEntityDescription]

    /// The contexts that take over what others save.
    let mergingContexts = WeakContexts()

    private let stores = Mutex<[NSPersistentStore]>([])
    private let opening = Mutex(())
    private let generations = Mutex(QueryGenerations())
    private let queue = ContextQueue(.privateQueueConcurrencyType)

    /// Makes a coordinator for a model, which can no longer be changed then.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        model.freeze()
        entities = model.entitiesByName
        super.init()
        ModelsInUse.add(model)
    }

    /// The open stores in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { stores.withLock { $0 } }

    /// Opens a store, or creates it.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(StoreRequest(type: storeType, configuration: configuration, url: storeURL, options: options))
    }

    /// Opens a store, or creates it.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(StoreRequest(type: type.rawValue, configuration: configuration, url: storeURL, options: options))
    }

    /// Opens the store of a description and calls the block, on another queue if the description says so.
    @preconcurrency
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let opening = StoreOpening(description: storeDescription)
        let run: @Sendable () -> Void = { opening.run(in: self, block) }
        if storeDescription.shouldAddStoreAsynchronously { queue.async(run) } else { run() }
    }

    /// Closes a store. Its file stays.
    open func remove(_ store: NSPersistentStore) throws {
        let wasOpen = stores.withLock { stores in
            let index = stores.firstIndex { $0 === store }
            if let index { stores.remove(at: index) }
            return index != nil
        }
        precondition(wasOpen, "the store is not one of the coordinator's")
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        store.watch = nil
        // Readers for whom the store is closed see that it was removed.
        store.persistentStoreCoordinator = nil
        generations.withLock { $0.forget(store) }
        store.rows.close()
        notify(NSRemovedPersistentStoresKey, store)
    }

    /// Returns the store with a URL.
    open func persistentStore(for url: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url.map(Self.path) == Self.path(of: url) }
    }

    /// Returns the URL of a store. A store in memory has that of the null device.
    open func url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Returns the facts about a store when it was opened.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Runs a block on the queue of the coordinator.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(block) }

    /// Runs a block on the queue of the coordinator and waits for it. Calls from the queue itself run at once.
    open func performAndWait(_ block: () -> Void) { queue.sync(block) }

    /// Returns the stores as they are now.
    func makeGeneration() throws -> QueryGeneration {
        let generation = try CoreDataError.inCocoa { try QueryGeneration(persistentStores) }
        generations.withLock { $0.add(generation) }
        return generation
    }

    private func add(_ request: StoreRequest) throws -> NSPersistentStore {
        // One at a time, so that two calls do not open the same file.
        let store = try opening.withLock { _ in
            if let file = request.file, persistentStore(for: file) != nil {
                throw request.error(.persistentStoreOpen, "the coordinator has opened the store already")
            }
            let store = try request.open(managedObjectModel)
            store.persistentStoreCoordinator = self
            store.watchForChanges()
            stores.withLock { $0.append(store) }
            return store
        }
        notify(NSAddedPersistentStoresKey, store)
        return store
    }

    private func notify(_ key: String, _ store: NSPersistentStore) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: [key: [store]])
    }

    private static func path(of url: URL) -> String { url.standardizedFileURL.path }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of added stores in the notification of a coordinator.
public let NSAddedPersistentStoresKey = "added"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of removed stores in the notification of a coordinator.
public let NSRemovedPersistentStoresKey = "removed"

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when a coordinator has opened or closed a store.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChange")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before a coordinator closes a store, which is the object of the notification.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStore")
}
