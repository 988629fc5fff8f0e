import Foundation

extension CKSyncEngine {
    /// - Parameter mark: what was added to the state later waits on, for the batch may not have it.
    func sendRecords(
        _ batch: RecordZoneChangeBatch, addedUpTo mark: UInt64, _ client: DatabaseClient
    ) async -> SentBatch<Event.SentRecordZoneChanges> {
        let changes =
            batch.recordsToSave.map { PendingRecordZoneChange.saveRecord($0.recordID) }
            + batch.recordIDsToDelete.map { PendingRecordZoneChange.deleteRecord($0) }
        state.change { $0.recordChanges.send(changes, addedUpTo: mark) }
        var client = client
        // With a name it is done once, however often it is sent.
        client.requestID = UUID().uuidString
        client.changeTagsOfDeletions = batch.changeTagsOfDeletions
        let sent: SentBatch<Event.SentRecordZoneChanges>
        do {
            let outcome = try await client.modifyRecords(
                saving: batch.recordsToSave, deleting: batch.recordIDsToDelete, policy: .ifServerRecordUnchanged,
                atomically: batch.atomicByZone)
            sent = Self.outcome(outcome, of: batch)
        } catch {
            sent = Self.failure(CKError(any: error), of: batch)
        }
        let failedSaves = Dictionary(
            sent.event.failedRecordSaves.map { ($0.record.recordID, $0.error.isTransient) }, uniquingKeysWith: { $1 })
        let failedDeletions = sent.event.failedRecordDeletes.mapValues(\.isTransient)
        // The server's side of a conflict is the app's as well now.
        let records = (sent.event.savedRecords + sent.event.failedRecordSaves.compactMap(\.error.serverRecord))
            .map { ($0.recordID, $0.recordType) }
        let deleted = sent.event.deletedRecordIDs
        state.change { state in
            state.noteRecords(records)
            state.forgetRecords(deleted)
            state.recordChanges.settle { change in
                switch change {
                case .saveRecord(let recordID): failedSaves[recordID] ?? false
                case .deleteRecord(let recordID): failedDeletions[recordID] ?? false
                }
            }
        }
        return sent
    }

    private static func outcome(
        _ outcome: ModifyRecordsOutcome, of batch: RecordZoneChangeBatch
    ) -> SentBatch<Event.SentRecordZoneChanges> {
        var saved: [CKRecord] = []
        var failedSaves: [Event.SentRecordZoneChanges.FailedRecordSave] = []
        for (record, (_, result)) in zip(batch.recordsToSave, outcome.saves) {
            switch result {
            case .success(let record): saved.append(record)
            case .failure(let error):
                failedSaves.append(
                    Event.SentRecordZoneChanges.FailedRecordSave(record: record, error: CKError(any: error)))
            }
        }
        var deleted: [CKRecord.ID] = []
        var failedDeletions: [CKRecord.ID: CKError] = [:]
        for (recordID, result) in outcome.deletions {
            switch result {
            case .success: deleted.append(recordID)
            case .failure(let error): failedDeletions[recordID] = CKError(any: error)
            }
        }
        return SentBatch(
            event: Event.SentRecordZoneChanges(
                savedRecords: saved, failedRecordSaves: failedSaves, deletedRecordIDs: deleted,
                failedRecordDeletes: failedDeletions),
            failures: failedSaves.map { (AnyHashable($0.record.recordID), $0.error) }
                + failedDeletions.map { (AnyHashable($0.key), $0.value) })
    }

    private static func failure(
        _ error: CKError, of batch: RecordZoneChangeBatch
    ) -> SentBatch<Event.SentRecordZoneChanges> {
        SentBatch(
            event: Event.SentRecordZoneChanges(
                savedRecords: [],
                failedRecordSaves: batch.recordsToSave.map {
                    Event.SentRecordZoneChanges.FailedRecordSave(record: $0, error: error)
                },
                deletedRecordIDs: [],
                failedRecordDeletes: Dictionary(batch.recordIDsToDelete.map { ($0, error) }) { first, _ in first }),
            failures: [(nil, error)])
    }
}
