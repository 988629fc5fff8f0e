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

    /// A name for debugging.
    open var name: String? {
        get { ownName.withLock { $0 } }
        set { ownName.withLock { $0 = newValue } }
    }

    private let ownName = Mutex<String?>(nil)
    private let stores = Mutex<[NSPersistentStore]>([])
    private let hasIncrementalStores = Atomic(false)
    private let opening = Mutex(())
    private let generations = Mutex(QueryGenerations())
    private let queue = ContextQueue(.privateQueueConcurrencyType)

    /// Makes a coordinator for a model, which can no longer be changed then.
    public required init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        model.freeze()
        entities = model.entitiesByName
        super.init()
        ModelsInUse.add(model)
    }

    deinit { for store in persistentStores { store.didClose() } }

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
        store.willRemove(from: self)
        store.removalObserver?()
        (store.watch, store.saveObserver, store.removalObserver) = (nil, nil, nil)
        // Readers for whom the store is closed see that it was removed.
        store.persistentStoreCoordinator = nil
        generations.withLock { $0.forget(store) }
        store.rows.close()
        store.didClose()
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

    /// Changes the place of a store that is written as a whole: the next save writes it there. Returns false for others,
    /// for which ``migratePersistentStore(_:to:options:withType:)`` exists.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard persistentStores.contains(where: { $0 === store }), store is NSAtomicStore else { return false }
        store.url = url
        return true
    }

    /// Returns the facts about a store, such as its UUID and the version hashes of its model.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

    /// Sets the facts about a store, a property list, which the next save writes. What identifies the store and its model
    /// stays.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        precondition(store.persistentStoreCoordinator === self, "the store is not one of the coordinator's")
        let own = (store.metadata ?? [:]).filter {
            [NSStoreUUIDKey, NSStoreTypeKey, NSStoreModelVersionIdentifiersKey].contains($0.key)
                || MetadataKey.ofModel.contains($0.key)
        }
        store.setNewMetadata((metadata ?? [:]).merging(own) { $1 })
    }

    /// Completes a migration that was deferred. A store is always migrated completely when it is opened.
    open func finishDeferredLightweightMigration() throws {}

    /// Completes a part of a migration that was deferred. A store is always migrated completely when it is opened.
    open func finishDeferredLightweightMigrationTask() throws {}

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
            let store: NSPersistentStore
            if let storeClass = StoreClasses.named(request.type) {
                store = try request.open(storeClass, in: self)
            } else {
                store = try request.open(managedObjectModel)
            }
            store.persistentStoreCoordinator = self
            store.watchForChanges()
            stores.withLock { $0.append(store) }
            if store is NSIncrementalStore { hasIncrementalStores.store(true, ordering: .relaxed) }
            return store
        }
        store.didAdd(to: self)
        notify(NSAddedPersistentStoresKey, store)
        return store
    }

    /// Returns the place that a context reads objects from.
    func source(for context: NSManagedObjectContext) -> any ObjectSource {
        hasIncrementalStores.load(ordering: .relaxed) ? IncrementalSource(self, context) : self
    }

    /// Notifies observers of what has happened to stores.
    func notify(_ key: String, _ stores: NSPersistentStore...) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: [key: stores])
    }

    private static func path(of url: URL) -> String { url.standardizedFileURL.path }
}
