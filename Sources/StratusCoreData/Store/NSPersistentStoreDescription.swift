import Foundation

/// A description of a store to open: its type, file, configuration and options.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The type of the store.
    open var type = NSSQLiteStoreType

    /// The name of the configuration of the model whose entities the store holds; nil for all entities.
    open var configuration: String?

    /// The file of the store.
    open var url: URL?

    /// Whether the store is opened in the background.
    open var shouldAddStoreAsynchronously = false

    /// The options for opening the store.
    public private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]

    /// Makes a description of a store in an SQLite file without a place.
    public override init() { super.init() }

    /// Makes a description of a store in an SQLite file.
    public convenience init(url: URL) {
        self.init()
        self.url = url
    }

    /// Whether the store is opened only for reading.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
    }

    /// Whether a store of another version of the model is migrated when it is opened.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSMigratePersistentStoresAutomaticallyOption) }
    }

    /// Whether a migration is inferred from the two versions of the model.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption) }
    }

    /// The seconds to wait for a store that another process holds.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? Self.defaultTimeout }
        set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
    }

    /// The pragmas for SQLite.
    open var sqlitePragmas: [String: NSObject] { options[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] }

    /// Sets an option; nil removes it.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Sets a pragma for SQLite; nil removes it.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        setOption(pragmas.isEmpty ? nil : pragmas as NSDictionary, forKey: NSSQLitePragmasOption)
    }

    /// Returns a copy that can be changed without changing this description.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.options = options
        return copy
    }

    /// Whether the other description is of the same store with the same options.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return type == other.type && configuration == other.configuration && url == other.url
            && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously && options == other.options
    }

    /// The hash of the type and the file.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(url)
        return hasher.finalize()
    }

    /// The type, the file and the options.
    open override var description: String {
        "<NSPersistentStoreDescription: \(type) (\(url?.absoluteString ?? "no file")) \(options)>"
    }

    /// Apple's default.
    private static let defaultTimeout: TimeInterval = 240

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }
}
