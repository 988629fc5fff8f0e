import Foundation
import Synchronization

// `@unchecked Sendable`: the configuration and the options never change. Locks protect the facts that change, and the
// owner. The rows and the cache are set when the store is opened, before other threads can reach the store; both are safe
// from any thread. Options and metadata are property lists, which a program must not change after it passed them.
/// A store of objects that a coordinator has opened.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The name of the configuration of the model whose entities the store holds.
    public let configurationName: String

    /// The options that the store was opened with.
    public let options: [AnyHashable: Any]?

    /// The coordinator that the store is open in; nil after its removal.
    public internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { owner.withLock { $0.coordinator } }
        set { owner.withLock { $0.coordinator = newValue } }
    }

    /// Notices the saves of other processes.
    var watch: StoreWatch? {
        get { owner.withLock { $0.watch } }
        set { owner.withLock { $0.watch = newValue } }
    }

    /// Called after saves.
    var saveObserver: (@Sendable () -> Void)? {
        get { owner.withLock { $0.saveObserver } }
        set { owner.withLock { $0.saveObserver = newValue } }
    }

    /// Called before the store is closed.
    var removalObserver: (@Sendable () -> Void)? {
        get { owner.withLock { $0.removalObserver } }
        set { owner.withLock { $0.removalObserver = newValue } }
    }

    private struct Owner {
        weak var coordinator: NSPersistentStoreCoordinator?
        var saveObserver: (@Sendable () -> Void)?
        var removalObserver: (@Sendable () -> Void)?
        var watch: StoreWatch?
    }

    // `@unchecked Sendable`: the only part that the compiler cannot check is the metadata, a property list that nobody
    // changes in place.
    private struct Facts: @unchecked Sendable {
        var url: URL?
        var type = ""
        var isReadOnly = false
        var metadata: [String: Any]?
        /// Whether the next save writes the metadata.
        var hasNewMetadata = false
    }

    private let owner = Mutex(Owner())
    private let facts: Mutex<Facts>
    private var openedRows: (any RowStore)?
    private(set) var cache = RowCache(StoreLayout([], tables: []))

    init(rows: any RowStore, request: StoreRequest) throws {
        var metadata = try rows.metadata()
        metadata[NSStoreTypeKey] = request.type
        facts = Mutex(
            Facts(url: request.url, type: request.type, isReadOnly: rows.isReadOnly, metadata: metadata))
        configurationName = request.configuration ?? NSManagedObjectModel.defaultConfigurationName
        options = request.options
        openedRows = rows
        cache = RowCache(rows.layout)
        super.init()
    }

    /// Makes a store of a class of the program, which inherits from ``NSAtomicStore`` or ``NSIncrementalStore``. A
    /// coordinator calls it for the type that the class is registered for. Apple's initializer is not `required`.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        let isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
        facts = Mutex(Facts(url: url, isReadOnly: isReadOnly))
        configurationName = name ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        super.init()
        persistentStoreCoordinator = root
    }

    /// The URL that the store was opened with; nil for a store in memory.
    open var url: URL? {
        get { facts.withLock { $0.url } }
        set { facts.withLock { $0.url = newValue } }
    }

    /// The type of the store, such as `NSSQLiteStoreType`.
    open var type: String { facts.withLock { $0.type } }

    /// Whether the store refuses saves: as its options say, or because it has a history and the option to keep it is
    /// missing.
    open var isReadOnly: Bool {
        get { facts.withLock { $0.isReadOnly } }
        set { facts.withLock { $0.isReadOnly = newValue } }
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The facts about the store when it was opened: its UUID, type and the version hashes of its model. Apple declares
    /// it so, and code relies on it.
    open var metadata: [String: Any]! {
        get { facts.withLock { $0 }.metadata }
        set {
            let metadata = Facts(metadata: newValue)
            facts.withLock { $0.metadata = metadata.metadata }
        }
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The UUID of the store. Apple declares it so, and code relies on it.
    open var identifier: String! {
        get { metadata?[NSStoreUUIDKey] as? String }
        set { metadata = (metadata ?? [:]).merging([NSStoreUUIDKey: newValue as Any]) { $1 } }
    }

    /// Reads the metadata of a store of the program's own class. A coordinator calls it before it uses the store.
    open func loadMetadata() throws {}

    /// Called when a coordinator has opened the store.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before a coordinator closes the store.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// Called when no coordinator has the store any more.
    func didClose() {}

    /// Returns the metadata of a store that need not be open. Classes of programs override it.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CocoaError.make(
            .persistentStoreOperation, "the class '\(self)' does not read metadata", [NSFilePathErrorKey: url.path])
    }

    /// Writes the metadata of a store that need not be open. Classes of programs override it.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CocoaError.make(
            .persistentStoreOperation, "the class '\(self)' does not write metadata", [NSFilePathErrorKey: url.path])
    }

    /// The class of the manager for migrations of the store.
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

    var rows: any RowStore {
        guard let openedRows else { preconditionFailure("the store has not been opened by a coordinator") }
        return openedRows
    }

    /// Gives a store of a class of the program its type, before it reads its metadata.
    func takeType(_ type: String) { facts.withLock { $0.type = type } }

    /// Gives a store of a class of the program its rows, before other threads can reach it.
    func takeRows(_ rows: any RowStore) {
        openedRows = rows
        cache = RowCache(rows.layout)
    }

    /// Returns the rows for new objects of one entity, in the order of the objects.
    func keys(for objects: [NSManagedObject], of entity: String) throws -> [RowKey] {
        try rows.obtainKeys([entity: objects.count])[entity] ?? []
    }

    /// Writes the changes of a save.
    func save(_ changes: StoreChanges, of context: NSManagedObjectContext) throws -> SavedRows {
        try rows.save(changes.rows)
    }

    /// The references of a store of a class of the program, whose new objects need their IDs before they are saved; nil
    /// for other stores.
    var programReferences: StoreReferences? { nil }

    /// Whether new objects need their IDs before they are saved.
    var savesObjects: Bool { programReferences != nil }

    /// The text for a primary key in the URI of an object.
    func uriText(of number: Int64) -> String { programReferences?.text(of: number) ?? "\(number)" }

    /// Returns the primary key that a text in the URI of an object stands for; nil if it cannot be one.
    func number(ofURIText text: String, _ entity: NSEntityDescription) -> Int64? {
        if let programReferences { return programReferences.number(ofText: text, entity) }
        return Int64(text).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Sets metadata that the next save writes.
    func setNewMetadata(_ metadata: [String: Any]) {
        self.metadata = metadata
        facts.withLock { $0.hasNewMetadata = true }
    }

    /// Writes metadata that a program has set.
    func writeNewMetadata() throws {
        let isNew = facts.withLock { facts in
            defer { facts.hasNewMetadata = false }
            return facts.hasNewMetadata
        }
        guard isNew else { return }
        do {
            try rows.setMetadata(metadata)
        } catch {
            facts.withLock { $0.hasNewMetadata = true }
            throw error
        }
    }

    /// A type of stores.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The name of the type.
        public let rawValue: String

        /// Takes the name of a type.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Stores in SQLite files.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// Stores that exist only in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// Stores that are read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Stores in XML files, which are read and written as a whole.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }
}
