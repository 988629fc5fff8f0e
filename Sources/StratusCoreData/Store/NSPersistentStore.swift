import Foundation
import Synchronization

// The properties never change, except for the coordinator and the watch, which a lock protects. Options and metadata are property
// lists, which a program must not change after it passed them. Nothing here changes them. Stores of rows and the cache are
// safe from any thread.
/// A store of objects that a coordinator has opened.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The URL that the store was opened with; nil for a store in memory.
    public let url: URL?

    /// The type of the store, such as `NSSQLiteStoreType`.
    public let type: String

    /// The name of the configuration of the model whose entities the store holds.
    public let configurationName: String

    /// The options that the store was opened with.
    public let options: [AnyHashable: Any]?

    /// Whether the store is open only for reading: as its options say, or because it has a history and the option to keep
    /// it is missing.
    public let isReadOnly: Bool

    /// The coordinator that the store is open in; nil after its removal.
    public internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { owner.withLock { $0.coordinator } }
        set { owner.withLock { $0.coordinator = newValue } }
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The facts about the store when it was opened: its UUID, type and the version hashes of its model. Apple declares
    /// it so, and code relies on it.
    public let metadata: [String: Any]!

    let rows: any RowStore
    let cache: RowCache

    /// Notices the saves of other processes.
    var watch: StoreWatch? {
        get { owner.withLock { $0.watch } }
        set { owner.withLock { $0.watch = newValue } }
    }

    private struct Owner {
        weak var coordinator: NSPersistentStoreCoordinator?
        var watch: StoreWatch?
    }

    private let owner = Mutex(Owner())

    init(rows: any RowStore, request: StoreRequest) throws {
        self.rows = rows
        cache = RowCache(rows.layout)
        var metadata = try rows.metadata()
        metadata[NSStoreTypeKey] = request.type
        self.metadata = metadata
        url = request.url
        type = request.type
        configurationName = request.configuration ?? NSManagedObjectModel.defaultConfigurationName
        options = request.options
        isReadOnly = rows.isReadOnly
        super.init()
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The UUID of the store. Apple declares it so, and code relies on it.
    open var identifier: String! { rows.identifier }

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
    }
}
