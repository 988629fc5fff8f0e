import Foundation
import StratusCloudKit
import StratusCoreData

// Shares, from the tables of the stores.
extension NSPersistentCloudKitContainer {
    /// Returns the shares of objects as the server had them last, without asking it. Objects that are not shared are
    /// absent.
    /// - Throws: An error if a store cannot be read.
    public func fetchShares(matching objectIDs: [NSManagedObjectID]) throws -> [NSManagedObjectID: CKShare] {
        var shares: [NSManagedObjectID: CKShare] = [:]
        for objectID in objectIDs {
            guard let zone = try mirroredZone(of: objectID), let share = try zone.shareRecord() else { continue }
            shares[objectID] = share
        }
        return shares
    }

    /// Returns the shares of a store, or of all stores if it is nil, as the server had them last, without asking it.
    /// - Throws: An error if a store cannot be read.
    public func fetchShares(in persistentStore: NSPersistentStore?) throws -> [CKShare] {
        let stores = persistentStore.map { [$0] } ?? openMirrors.map(\.store)
        return try stores.flatMap { store in
            try store.reading { transaction -> [ZoneRow] in
                guard try MirrorSchema.exists(in: transaction) else { return [] }
                return try MirrorTables(transaction: transaction).zones()
            }.compactMap { $0.isDraft ? nil : try $0.shareRecord() }
        }
    }

    /// Returns the zone of an object's record; nil if it has none yet, or its store is not mirrored.
    func mirroredZone(of objectID: NSManagedObjectID) throws -> ZoneRow? {
        guard let key = objectID.storedKey, let store = objectID.persistentStore,
            store.options?[NSPersistentStoreDescription.cloudKitOptionsKey] != nil
        else { return nil }
        return try store.reading { transaction in
            guard try MirrorSchema.exists(in: transaction) else { return nil }
            let tables = MirrorTables(transaction: transaction)
            return try tables.record(key).flatMap { try tables.zone($0.zone) }
        }
    }
}

extension ZoneRow {
    /// The share as the server had it last; nil if the zone is not shared.
    func shareRecord() throws -> CKShare? { try share.flatMap { try CKShare.unarchived($0) } }

    /// Whether the person may change the records of the zone, which may be somebody else's.
    func isWritable() throws -> Bool {
        guard zoneID.ownerName != CKCurrentUserDefaultName else { return true }
        guard let share = try shareRecord() else { return false }
        guard let participant = share.currentUserParticipant else { return share.publicPermission == .readWrite }
        return participant.role == .owner || participant.permission == .readWrite
    }
}
