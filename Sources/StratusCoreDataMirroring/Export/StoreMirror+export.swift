import Foundation
import StratusCloudKit
import StratusCoreData

// Batches are built from what waits, and answers settle it.
extension StoreMirror {
    /// Builds the next batch; nil if nothing waits, or the zone has to be saved first.
    func prepareBatch() throws -> ExportBatch? {
        while !isClosed {
            let session = try MirrorSession(store, zoneID)
            guard session.zone.isSaved else {
                armExport()
                return nil
            }
            let (records, links) = try session.read { tables in
                let records = try tables.pendingRecords(limit: ExportBatch.limit)
                return (records, try tables.pendingLinks(limit: ExportBatch.limit - records.count))
            }
            guard !records.isEmpty || !links.isEmpty else { return nil }
            let builder = ExportBuilder(session, model, makeContext(), staging)
            try builder.run(records, links)
            try write(session)
            if !builder.failures.isEmpty { noteExportFailures(builder.failures) }
            let batch = builder.batch
            guard !batch.isEmpty else { continue }
            beginExport()
            MirroringDebug.note(batch, of: store)
            state.withLock { $0.sending = batch.sending }
            return batch
        }
        return nil
    }

    func write(_ session: MirrorSession) throws {
        let changes = session.changes
        try store.transaction { try changes.write(to: MirrorTables(transaction: $0), zone: session.zone.number) }
    }

    /// Takes over the answer to a batch.
    func take(_ changes: CKSyncEngine.Event.SentRecordZoneChanges) throws {
        let sending = state.withLock { state in
            defer { state.sending = [:] }
            return state.sending
        }
        defer { staging.removeAll() }
        let answers = SentAnswers(try MirrorSession(store, zoneID), sending)
        try answers.take(changes)
        try write(answers.session)
        if !answers.goneOnServer.isEmpty { try importPage(FetchedPage(deletions: answers.goneOnServer)) }
        if answers.needsZone { try changeZone { _, zone in zone.isSaved = false } }
        noteExportFailures(answers.failures)
        if answers.sendsAgain { armExport() }
    }

    // MARK: - Events

    func beginExport() {
        guard state.withLock({ $0.exporting == nil }) else { return }
        let event = events.begin(.export)
        state.withLock { $0.exporting = event }
    }

    func noteExportFailures(_ failures: [RecordFailure]) {
        guard !failures.isEmpty else { return }
        beginExport()
        state.withLock { $0.exporting?.failures += failures }
    }

    func noteExportError(_ error: any Error) {
        beginExport()
        state.withLock { $0.exporting?.error = error }
    }

    func endExport() {
        let event = state.withLock { state in
            defer { state.exporting = nil }
            return state.exporting
        }
        if let event { events.end(event) }
    }
}
