import StratusCloudKit
import StratusCoreData

// Everything here is answered from what the store knows, without asking the server.
extension NSPersistentCloudKitContainer {
    /// Whether the current user may change the record of an object.
    ///
    /// True for an object that is not saved yet, in a store that is not mirrored, and in a store of the private database. In
    /// the public database it is true for objects that were not sent yet, and for those whose record the current user
    /// has created: rights that other roles of the schema give are not known without asking the server. In the shared
    /// database it is true for objects of shares that the current user may change. False means that the server refuses
    /// a change, after which the object gets its former values back.
    public func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        guard !objectID.isTemporaryID, let store = objectID.persistentStore, let scope = store.mirroredScope,
            let key = objectID.storedKey
        else { return true }
        return store.permits { try $0.permitsChange(of: key, in: scope) } ?? true
    }

    /// Whether the current user may delete the record of an object, which is so where that person may change it.
    public func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        canUpdateRecord(forManagedObjectWith: objectID)
    }

    /// Whether the current user may add objects to a store: always to one of the private database or without mirroring,
    /// with an account to one of the public database, and to one of the shared database if there is a share that the
    /// current user may change.
    public func canModifyManagedObjects(in store: NSPersistentStore) -> Bool {
        guard let scope = store.mirroredScope else { return true }
        return store.permits { try $0.permitsAddition(in: scope) } ?? (scope == .private)
    }
}

extension NSPersistentStore {
    /// The database that the store is mirrored in; nil for none.
    fileprivate var mirroredScope: CKDatabase.Scope? {
        let options = options?[NSPersistentStoreDescription.cloudKitOptionsKey]
        return (options as? NSPersistentCloudKitContainerOptions)?.databaseScope
    }

    /// Returns what the tables say about a right; nil if the file does not have them yet. A store that cannot be read gives
    /// no right.
    fileprivate func permits(_ body: (MirrorTables) throws -> Bool) -> Bool? {
        do {
            return try reading { transaction in
                try MirrorSchema.exists(in: transaction) ? body(MirrorTables(transaction: transaction)) : nil
            }
        } catch {
            return false
        }
    }
}
