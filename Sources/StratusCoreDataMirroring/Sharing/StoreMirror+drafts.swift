import StratusCloudKit
import StratusCoreData

// Zones of shares that were not finished.
extension StoreMirror {
    /// Returns the result of work that makes a zone for a share. If the work fails, the zone is deleted, at the latest
    /// after the next fetch of the account.
    func withDraft<Value>(
        of account: String?, _ work: (CKRecordZone.ID) async throws -> Value
    ) async throws -> Value {
        let zoneID = MirroredZones.newShareZone()
        state.withLock { _ = $0.newZones.insert(zoneID) }
        defer { state.withLock { _ = $0.newZones.remove(zoneID) } }
        try await onQueue { [self] in
            try store.transaction { transaction in
                let tables = MirrorTables(transaction: transaction)
                var zone = try tables.zone(zoneID)
                zone.isDraft = true
                try tables.update(zone)
            }
        }
        do {
            return try await work(zoneID)
        } catch {
            let change = await accountChange(since: account)
            // The account that is signed in now may have got the zone.
            let isDeleted = (try? await database.deleteRecordZone(withID: zoneID)) != nil
            if change != nil, let account {
                try await onQueue { try self.keepDraft(zoneID, of: account) }
            } else if isDeleted {
                try await onQueue { try self.forgetDraft(zoneID) }
            }
            throw change ?? error
        }
    }

    /// Lets the engine delete the zones that were made for shares before the process ended or the account went away.
    /// Called after a fetch: a zone in which another device has put something meanwhile is no draft any more.
    func deleteDrafts() throws {
        let inUse = state.withLock { $0.newZones }
        let drafts = try makeSession().zones.values.filter {
            $0.isDraft && $0.zoneID.ownerName == CKCurrentUserDefaultName && !inUse.contains($0.zoneID)
        }
        guard !drafts.isEmpty, let engine = state.withLock({ $0.engine }) as? CKSyncEngine else { return }
        engine.state.add(pendingDatabaseChanges: drafts.map { .deleteZone($0.zoneID) })
    }

    /// Takes over that drafts are gone on the server.
    func takeDeletedZones(_ changes: CKSyncEngine.Event.SentDatabaseChanges) throws {
        let gone = changes.failedZoneDeletes.filter {
            $0.value.code == .zoneNotFound || $0.value.code == .userDeletedZone
        }
        for zoneID in changes.deletedZoneIDs + gone.keys { try forgetDraft(zoneID) }
    }

    /// Forgets a zone that was made for a share, if no object is in it yet.
    private func forgetDraft(_ zoneID: CKRecordZone.ID) throws {
        try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            if let zone = try tables.findZone(zoneID), zone.isDraft { try tables.delete(zone) }
        }
    }

    /// Notes a zone to be deleted when an account is signed in again.
    private func keepDraft(_ zoneID: CKRecordZone.ID, of account: String) throws {
        try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            if let zone = try tables.findZone(zoneID), zone.isDraft { try tables.delete(zone) }
            var kept = try tables.zone(CKRecordZone.ID(zoneName: zoneID.zoneName, ownerName: account))
            kept.isDraft = true
            try tables.update(kept)
        }
    }
}
