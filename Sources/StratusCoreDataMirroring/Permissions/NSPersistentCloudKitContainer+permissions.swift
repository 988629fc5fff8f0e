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
        guard !objectID.isTemporaryID, let store = objectID.persistentStore, let scope = store.mirroredScope else {
            return true
        }
        switch scope {
        case .private: return true
        case .public: return (try? store.isOwnPublicRecord(of: objectID)) ?? false
        // An object that is not related to a shared one yet has no zone.
        case .shared: return (try? mirroredZone(of: objectID)?.isWritable() ?? true) ?? false
        @unknown default: return false
        }
    }

    /// Whether the current user may delete the record of an object, which is so where that person may change it.
    public func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        canUpdateRecord(forManagedObjectWith: objectID)
    }

    /// Whether the current user may add objects to a store: always to one of the private database or without mirroring,
    /// with an account to one of the public database, and to one of the shared database if there is a share that the
    /// current user may change.
    public func canModifyManagedObjects(in store: NSPersistentStore) -> Bool {
        switch store.mirroredScope {
        case nil, .private: true
        case .public: (try? store.mirrorAccount()) ?? nil != nil
        case .shared: (try? store.hasWritableZone()) ?? false
        @unknown default: false
        }
    }
}

extension NSPersistentStore {
    /// The database that the store is mirrored in; nil for none.
    var mirroredScope: CKDatabase.Scope? {
        let options = options?[NSPersistentStoreDescription.cloudKitOptionsKey]
        return (options as? NSPersistentCloudKitContainerOptions)?.databaseScope
    }

    /// Returns the account that the store was mirrored with last; nil without one.
    fileprivate func mirrorAccount() throws -> String? {
        try reading { transaction in
            guard try MirrorSchema.exists(in: transaction) else { return nil }
            return try MirrorTables(transaction: transaction).account()
        }
    }

    /// Whether the store has a zone of somebody else that the current user may change.
    fileprivate func hasWritableZone() throws -> Bool {
        try reading { transaction -> [ZoneRow] in
            guard try MirrorSchema.exists(in: transaction) else { return [] }
            return try MirrorTables(transaction: transaction).zones()
        }.contains { try $0.isWritable() }
    }

    /// Whether the current user has created the record of an object, or the server does not have it yet.
    fileprivate func isOwnPublicRecord(of objectID: NSManagedObjectID) throws -> Bool {
        guard let key = objectID.storedKey else { return true }
        return try reading { transaction in
            guard try MirrorSchema.exists(in: transaction) else { return true }
            let tables = MirrorTables(transaction: transaction)
            guard let row = try tables.record(key), let record = try row.export.serverRecord() else { return true }
            guard let account = try tables.account(), let creator = record.creatorUserRecordID?.recordName else {
                return false
            }
            guard creator == CKCurrentUserDefaultName else { return creator == account }
            // The record says "the current user", who may have been somebody else when it was fetched.
            guard let state = try tables.publicState(), state.account == account else { return false }
            return !state.hasRecordsOfFormerAccount || row.export.isListed
        }
    }
}
