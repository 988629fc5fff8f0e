import Foundation
import Synchronization

/// The classes of stores that programs have registered, by their types.
enum StoreClasses {
    private static let known = Mutex<[String: NSPersistentStore.Type]>([NSXMLStoreType: XMLStore.self])

    static func register(_ storeClass: NSPersistentStore.Type?, _ type: String) {
        known.withLock { $0[type] = storeClass }
    }

    static func named(_ type: String) -> NSPersistentStore.Type? { known.withLock { $0[type] } }

    static var all: [String: NSPersistentStore.Type] { known.withLock { $0 } }
}

extension NSPersistentStoreCoordinator {
    /// Registers a class of stores, which inherits from ``NSAtomicStore`` or ``NSIncrementalStore``, for a type; nil ends
    /// the registration. Stops the program if the class is another one.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        precondition(
            storeClass == nil || storeClass is NSAtomicStore.Type || storeClass is NSIncrementalStore.Type,
            "a class for stores inherits from NSAtomicStore or NSIncrementalStore")
        StoreClasses.register(storeClass as? NSPersistentStore.Type, storeType)
    }

    /// Registers a class of stores for a type.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }

    /// The classes of stores by their types. Apple wraps the classes in `NSValue`, which Linux cannot.
    public class var registeredStoreTypes: [String: AnyClass] {
        let own = [NSSQLiteStoreType, NSBinaryStoreType, NSInMemoryStoreType]
        let builtIn = own.map { ($0, NSPersistentStore.self as AnyClass) }
        return Dictionary(builtIn, uniquingKeysWith: { $1 }).merging(StoreClasses.all.mapValues { $0 as AnyClass }) {
            $1
        }
    }
}

extension StoreRequest {
    /// Opens a store of a class of the program.
    func open(_ storeClass: NSPersistentStore.Type, in coordinator: NSPersistentStoreCoordinator) throws
        -> NSPersistentStore
    {
        let model = coordinator.managedObjectModel
        let entities = try entities(of: model)
        let place = url ?? URL(fileURLWithPath: "/dev/null")
        let store = storeClass.init(
            persistentStoreCoordinator: coordinator, configurationName: configuration, at: place, options: options)
        store.takeType(type)
        try store.loadMetadata()
        try check(store, model)
        do {
            switch store {
            case let store as NSAtomicStore: try store.openNodes(entities)
            case let store as NSIncrementalStore:
                store.takeRows(try IncrementalRows(store, StoreLayout(entities)))
            default: throw error(.persistentStoreInvalidType, "'\(storeClass)' is not a class for stores")
            }
        } catch let failure as StoreFailure {
            throw error(CocoaError.Code(rawValue: failure.cocoaCode), failure.description, failure.userInfo)
        }
        // A class may set its metadata only when it reads the objects.
        try check(store, model)
        return store
    }

    /// Completes the metadata of a store of the program, and compares it with what the program opens.
    private func check(_ store: NSPersistentStore, _ model: NSManagedObjectModel) throws {
        var metadata = store.metadata ?? [:]
        if let stored = metadata[NSStoreTypeKey] as? String, stored != type {
            throw error(.persistentStoreTypeMismatch, "the store is of the type '\(stored)', not '\(type)'")
        }
        if metadata[NSStoreModelVersionHashesKey] != nil,
            !model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
        {
            throw error(.persistentStoreIncompatibleVersionHash, "the model differs from the store's")
        }
        guard metadata[NSStoreUUIDKey] == nil || metadata[NSStoreTypeKey] == nil else { return }
        metadata[NSStoreUUIDKey] = metadata[NSStoreUUIDKey] ?? UUID().uuidString
        metadata[NSStoreTypeKey] = type
        store.metadata = metadata
    }
}
