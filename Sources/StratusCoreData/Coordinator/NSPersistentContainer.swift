import Foundation

// The properties are set before the container is used by several threads, and then only read, as with Apple. The view
// context is used on the main queue.
/// A model, its coordinator with stores, and a context for the main queue.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name, which is also that of the file of the store.
    public let name: String

    /// The context for the main queue.
    public let viewContext: NSManagedObjectContext

    /// The coordinator of the stores.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator

    /// The stores to open: a SQLite file in ``defaultDirectoryURL()`` unless a program sets others.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Makes a container for a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        let file = Self.defaultDirectoryURL().appendingPathComponent(name).appendingPathExtension("sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
        super.init()
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
    }

    /// The model.
    open var managedObjectModel: NSManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    /// Returns the folder for stores: one with the name of the program among the user's data.
    open class func defaultDirectoryURL() -> URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let folder = folders.first ?? FileManager.default.homeDirectoryForCurrentUser
        return folder.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }

    /// Opens the stores of the descriptions, and calls the block once for each of them.
    @preconcurrency
    open func loadPersistentStores(
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions { load(description, completionHandler: block) }
    }

    /// Opens the store of one description.
    package func load(
        _ description: NSPersistentStoreDescription,
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        do {
            try makeFolder(of: description)
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        } catch {
            block(description, error)
        }
    }

    /// Returns a new context with a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new context on the queue of that context.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Returns the result of a block that runs with a new context on the queue of that context.
    public func performBackgroundTask<T, Failure: Error>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> T
    ) async throws(Failure) -> T {
        let context = newBackgroundContext()
        return try await context.perform { () throws(Failure) -> T in try block(context) }
    }

    /// Makes the default folder. Others are the program's own.
    private func makeFolder(of description: NSPersistentStoreDescription) throws {
        let folder = Self.defaultDirectoryURL()
        guard description.type != NSInMemoryStoreType, !description.isReadOnly, let url = description.url,
            url.deletingLastPathComponent().standardizedFileURL.path == folder.standardizedFileURL.path
        else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
}
