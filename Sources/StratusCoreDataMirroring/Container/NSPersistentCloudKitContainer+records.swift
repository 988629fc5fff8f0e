import Foundation
import StratusCloudKit
import StratusCoreData

extension NSPersistentCloudKitContainer {
    /// Returns the record of an object as the cloud had it last; nil if it was neither sent nor fetched yet.
    public func record(for managedObjectID: NSManagedObjectID) -> CKRecord? {
        guard let (row, _) = mirroredRow(of: managedObjectID) else { return nil }
        return try? row.export.serverRecord()
    }

    /// Returns the records of objects as the cloud had them last. Those that were neither sent nor fetched are absent.
    public func records(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord] {
        Dictionary(
            managedObjectIDs.compactMap { id in record(for: id).map { (id, $0) } }, uniquingKeysWith: { $1 })
    }

    /// Returns the ID of the record of an object; nil if it has none yet.
    public func recordID(for managedObjectID: NSManagedObjectID) -> CKRecord.ID? {
        guard let (row, zoneID) = mirroredRow(of: managedObjectID) else { return nil }
        return CKRecord.ID(recordName: row.name, zoneID: zoneID)
    }

    /// Returns the IDs of the records of objects. Those that have none yet are absent.
    public func recordIDs(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord.ID] {
        Dictionary(
            managedObjectIDs.compactMap { id in recordID(for: id).map { (id, $0) } }, uniquingKeysWith: { $1 })
    }

    /// Returns the state of an object; nil if it is not mirrored, or its store cannot be read.
    private func mirroredRow(of objectID: NSManagedObjectID) -> (RecordRow, CKRecordZone.ID)? {
        guard let key = objectID.storedKey, let store = objectID.persistentStore,
            store.options?[NSPersistentStoreDescription.cloudKitOptionsKey] != nil
        else { return nil }
        let found = try? store.reading { transaction -> (RecordRow, CKRecordZone.ID)? in
            guard try MirrorSchema.exists(in: transaction) else { return nil }
            let tables = MirrorTables(transaction: transaction)
            guard let row = try tables.record(key), let zoneID = try tables.zone(row.zone)?.zoneID else { return nil }
            return (row, zoneID)
        }
        return found ?? nil
    }
}
