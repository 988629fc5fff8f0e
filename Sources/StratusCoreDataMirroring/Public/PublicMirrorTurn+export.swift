import StratusCloudKit
import StratusCoreData

// Sending.
extension PublicMirrorTurn {
    /// Sends what waits, in as many batches as it takes.
    func export(_ account: String?) async throws -> SyncOutcome {
        var repetitions = 0
        var outcome: SyncOutcome?
        while outcome == nil {
            let built = try await onStore("batch") { try mirror.prepareBatch() }
            guard let batch = await built?.limited() else { break }
            outcome = try await send(batch, account, &repetitions)
        }
        try await onStore("export end") { mirror.endExport() }
        return outcome ?? .done
    }

    /// Sends a batch.
    /// - Returns: The outcome if the export ends with it; nil to go on.
    private func send(
        _ batch: CKSyncEngine.RecordZoneChangeBatch, _ account: String?, _ repetitions: inout Int
    ) async throws -> SyncOutcome? {
        let sent: SentChanges
        do {
            let (saves, deletions) = try await database.modifyRecords(
                saving: batch.recordsToSave, deleting: batch.recordIDsToDelete,
                savePolicy: .ifServerRecordUnchanged, atomically: false)
            // Records that were sent for another person are sent again. The conflict brings the record as this person sees it.
            try await check(account)
            sent = SentChanges(saves, deletions)
        } catch let error as Interrupted {
            throw error
        } catch {
            try await onStore("batch failed") { mirror.takeFailure(error) }
            return Self.outcome(of: error)
        }
        try await onStore("sent") { try mirror.take(sent) }
        guard await mirror.revertForbidden(for: engine) else { return .failed(retryAfter: nil) }
        let conflicting = sent.failed(with: .serverRecordChanged)
        if !conflicting.isEmpty { try await takeServerRecords(conflicting) }
        let transient = sent.errors.values.filter(\.isTransient)
        if !transient.isEmpty { return .failed(retryAfter: transient.compactMap(\.retryAfter).max()) }
        if !sent.errors.isEmpty { repetitions += 1 }
        if repetitions > PublicMirrorLimits.failingBatches { return .failed(retryAfter: nil) }
        // Records that were refused because of others, or of a full account, wait for the next save.
        let waits = sent.errors.values.contains { $0.code == .quotaExceeded || $0.code == .batchRequestFailed }
        return waits ? .done : nil
    }

    /// Merges the records of a conflict.
    private func takeServerRecords(_ recordIDs: [CKRecord.ID]) async throws {
        let records: [CKRecord]
        do {
            // A record that is gone is sent again, and the answer says whether it has to be deleted here.
            records = try await mirror.serverRecords(recordIDs).flatMap(\.records)
        } catch {
            try await onStore("conflict failed") { mirror.noteExportError(error) }
            throw error
        }
        try await onStore("conflict") {
            try mirror.importPage(FetchedPage(zoneID: .default, records: records))
            mirror.forgetConflicts(of: Set(recordIDs))
        }
    }
}

extension StoreMirror {
    /// Notes that a whole batch has failed. It waits for the next attempt.
    func takeFailure(_ error: any Error) {
        state.withLock { $0.sending = [:] }
        staging.removeAll()
        noteExportError(error)
    }

    /// Takes conflicts that are merged out of the event.
    func forgetConflicts(of recordIDs: Set<CKRecord.ID>) {
        state.withLock { state in
            state.exporting?.failures.removeAll {
                recordIDs.contains($0.recordID) && CKError(any: $0.error).code == .serverRecordChanged
            }
        }
    }
}
