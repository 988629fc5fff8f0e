import Foundation

/// What became of a batch that was sent.
struct SentBatch<Event: Sendable> {
    /// What the delegate is told.
    var event: Event
    /// What failed, and why; without an item where it is all of the batch.
    var failures: [(AnyHashable?, CKError)]
}

extension CKSyncEngine {
    func sendZones(
        _ changes: [PendingDatabaseChange], _ client: DatabaseClient
    ) async -> SentBatch<Event.SentDatabaseChanges> {
        state.change { $0.databaseChanges.send(changes, addedUpTo: .max) }
        let zones = changes.compactMap { if case .saveZone(let zone) = $0 { zone } else { nil } }
        let deletions = changes.compactMap { if case .deleteZone(let zoneID) = $0 { zoneID } else { nil } }
        let sent: SentBatch<Event.SentDatabaseChanges>
        do {
            sent = Self.outcome(try await client.modifyZones(saving: zones, deleting: deletions), of: zones)
        } catch {
            sent = Self.failure(CKError(any: error), of: zones, deletions)
        }
        let failedSaves = Dictionary(
            sent.event.failedZoneSaves.map { ($0.zone.zoneID, $0.error.isTransient) }, uniquingKeysWith: { $1 })
        let failedDeletions = sent.event.failedZoneDeletes.mapValues(\.isTransient)
        let (saved, deleted) = (sent.event.savedZones.map(\.zoneID), sent.event.deletedZoneIDs)
        state.change { state in
            state.databaseChanges.settle { change in
                switch change {
                case .saveZone(let zone): failedSaves[zone.zoneID] ?? false
                case .deleteZone(let zoneID): failedDeletions[zoneID] ?? false
                }
            }
            state.noteZones(saved)
            for zoneID in deleted { state.forgetZone(zoneID) }
        }
        return sent
    }

    private static func outcome(
        _ outcome: ModifyZonesOutcome, of zones: [CKRecordZone]
    ) -> SentBatch<Event.SentDatabaseChanges> {
        var saved: [CKRecordZone] = []
        var failedSaves: [Event.SentDatabaseChanges.FailedZoneSave] = []
        for (zone, (_, result)) in zip(zones, outcome.saves) {
            switch result {
            case .success(let zone): saved.append(zone)
            case .failure(let error):
                failedSaves.append(Event.SentDatabaseChanges.FailedZoneSave(zone: zone, error: CKError(any: error)))
            }
        }
        var deleted: [CKRecordZone.ID] = []
        var failedDeletions: [CKRecordZone.ID: CKError] = [:]
        for (zoneID, result) in outcome.deletions {
            switch result {
            case .success: deleted.append(zoneID)
            case .failure(let error): failedDeletions[zoneID] = CKError(any: error)
            }
        }
        return SentBatch(
            event: Event.SentDatabaseChanges(
                savedZones: saved, failedZoneSaves: failedSaves, deletedZoneIDs: deleted,
                failedZoneDeletes: failedDeletions),
            failures: failedSaves.map { (AnyHashable($0.zone.zoneID), $0.error) }
                + failedDeletions.map { (AnyHashable($0.key), $0.value) })
    }

    private static func failure(
        _ error: CKError, of zones: [CKRecordZone], _ deletions: [CKRecordZone.ID]
    ) -> SentBatch<Event.SentDatabaseChanges> {
        SentBatch(
            event: Event.SentDatabaseChanges(
                savedZones: [],
                failedZoneSaves: zones.map { Event.SentDatabaseChanges.FailedZoneSave(zone: $0, error: error) },
                deletedZoneIDs: [], failedZoneDeletes: Dictionary(deletions.map { ($0, error) }) { first, _ in first }),
            failures: [(nil, error)])
    }
}
