import StratusCloudKit
import StratusCoreData

// Zones of shares that were not finished.
extension StoreMirror {
    /// The zones that were made for shares before the process ended. The engine deletes them.
    func draftZones() throws -> [CKRecordZone.ID] {
        let inUse = state.withLock { $0.newZones }
        return try makeSession().zones.values.filter { $0.isDraft && !inUse.contains($0.zoneID) }.map(\.zoneID)
    }

    /// Takes over that drafts are gone on the server.
    func takeDeletedZones(_ changes: CKSyncEngine.Event.SentDatabaseChanges) throws {
        let gone = changes.failedZoneDeletes.filter {
            $0.value.code == .zoneNotFound || $0.value.code == .userDeletedZone
        }
        for zoneID in changes.deletedZoneIDs + gone.keys { try forgetDraft(zoneID) }
    }

    /// Forgets a zone that was made for a share, if no object is in it yet.
    func forgetDraft(_ zoneID: CKRecordZone.ID) throws {
        try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            if let zone = try tables.findZone(zoneID), zone.isDraft { try tables.delete(zone) }
        }
    }
}
