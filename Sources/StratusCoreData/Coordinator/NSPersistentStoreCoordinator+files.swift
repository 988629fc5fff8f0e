import Foundation

extension NSPersistentStoreCoordinator {
    /// Returns the metadata of a store that need not be open.
    /// - Throws: `fileReadNoSuchFile` if the file does not exist, `fileReadCorruptFile` if it is not a store.
    public class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        if let storeClass = StoreClasses.named(storeType) {
            return try storeClass.metadataForPersistentStore(with: url)
        }
        let metadata = try StoreRequest(type: storeType, url: url, options: options).inFile(StoreFiles.metadata)
        return metadata.merging([NSStoreTypeKey: storeType]) { $1 }
    }

    /// Returns the metadata of a store that need not be open.
    public class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Deletes a store with all its files. A store of this coordinator is closed before; the store must not be open
    /// elsewhere, in this process or another one.
    /// - Throws: `persistentStoreTimeout` if it is open, unless ``NSPersistentStoreForceDestroyOption`` is set.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try close(url)
        let request = StoreRequest(type: storeType, url: url, options: options)
        let isForced = request.flag(NSPersistentStoreForceDestroyOption)
        try request.inFile {
            try StoreFiles.destroy(at: $0, evenIfOpen: isForced)
        }
    }

    /// Deletes a store with all its files. It must not be open outside of this coordinator.
    public func destroyPersistentStore(
        at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
    }

    /// Gives a store, which need not exist, the contents of another one. Neither its file nor its identity remain. A store
    /// of this coordinator is closed before; the store must not be open elsewhere, in this process or another one. The
    /// source may be open.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try close(destinationURL)
        let source = StoreRequest(type: storeType, url: sourceURL, options: sourceOptions)
        let destination = StoreRequest(type: storeType, url: destinationURL, options: destinationOptions)
        try destination.inFile { path in
            try source.inFile { try StoreFiles.replace(at: path, with: $0) }
        }
    }

    /// Gives a store, which need not exist, the contents of another one.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// Closes the store with a URL if it is one of this coordinator's.
    private func close(_ url: URL) throws {
        if let store = persistentStore(for: url) { try remove(store) }
    }

    /// Copies an open store to a file, and opens that instead. Saves to the former store fail from then on. The objects of the former store no longer have one; fetch
    /// them again.
    /// - Returns: The new store. As with the former one, its identifier is the same.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        precondition(store.persistentStoreCoordinator === self, "the store is not one of the coordinator's")
        let request = StoreRequest(
            type: storeType, configuration: store.configurationName(inModel: managedObjectModel), url: url,
            options: options)
        try request.inFile { path in
            try store.rows.move(to: path) { store.persistentStoreCoordinator = nil }
        }
        try remove(store)
        let new = try addPersistentStore(
            ofType: storeType, configurationName: request.configuration, at: url, options: options)
        notify(NSUUIDChangedPersistentStoresKey, store, new)
        return new
    }

    /// Copies an open store to a file, and opens that instead.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
        type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: url, options: options, withType: type.rawValue)
    }
}

extension NSPersistentStore {
    /// The name of the configuration, as it is given when a store is opened.
    fileprivate func configurationName(inModel model: NSManagedObjectModel) -> String? {
        model.configurations.contains(configurationName) ? configurationName : nil
    }
}

extension StoreRequest {
    /// Runs a block with the path of a store in a file, and throws its failures as Cocoa's errors.
    fileprivate func inFile<Value>(_ body: (String) throws -> Value) throws -> Value {
        guard type == NSSQLiteStoreType || type == NSBinaryStoreType else {
            throw error(.persistentStoreInvalidType, "stores of the type '\(type)' are not in files")
        }
        guard let file, file.isFileURL else { throw error(.persistentStoreOpen, "a store in a file needs its URL") }
        do {
            return try body(file.path)
        } catch let failure as StoreFailure {
            throw error(CocoaError.Code(rawValue: failure.cocoaCode), failure.description, failure.userInfo)
        }
    }
}
