import Foundation
import StratusCloudKit
import StratusCoreData

// Batches are built from what waits, and answers settle it.
extension StoreMirror {
    /// Builds the next batch, which is of one zone; nil if nothing waits, or zones have to be saved first.
    func prepareBatch() throws -> ExportBatch? {
        var hasUnsavedZone = false
        defer { if hasUnsavedZone { armExport() } }
        for zone in try makeSession().zones.values.sorted(by: { $0.number < $1.number }) where !zone.isDraft {
            while !isClosed {
                let session = try makeSession()
                let builder = ExportBuilder(session, zone, model, makeContext(), staging)
                guard try collect(session, zone, builder) else { break }
                guard zone.isSaved else {
                    if zone.needsSaving(rules) { hasUnsavedZone = true }
                    break
                }
                try session.write()
                if !builder.failures.isEmpty { noteExportFailures(builder.failures) }
                let batch = builder.batch
                guard !batch.isEmpty else { continue }
                beginExport()
                MirroringDebug.note(batch, of: store)
                state.withLock { $0.sending = batch.sending }
                return batch
            }
        }
        return nil
    }

    /// Adds records of a zone to a batch.
    /// - Returns: Whether something of the zone waits.
    private func collect(_ session: MirrorSession, _ zone: ZoneRow, _ builder: ExportBuilder) throws -> Bool {
        let limit = ExportBatch.limit
        let (records, links) = try session.read { tables in
            let records = try tables.pendingRecords(in: zone.number, limit: limit)
            return (records, try tables.pendingLinks(in: zone.number, limit: limit - records.count))
        }
        guard records.isEmpty, links.isEmpty else {
            if zone.isSaved { try builder.run(records, links) }
            return true
        }
        let formers = try session.read { try $0.checkedFormers(in: zone.number, limit: limit) }
        builder.run(formers)
        return !formers.isEmpty
    }

    /// Takes over the answer to a batch.
    func take(_ changes: SentChanges) throws {
        MirroringDebug.note(changes, of: store)
        let sending = state.withLock { state in
            defer { state.sending = [:] }
            return state.sending
        }
        defer { staging.removeAll() }
        let answers = SentAnswers(try makeSession(), sending, revertsForbidden: plan.scope != .private)
        try answers.take(changes)
        try answers.session.write()
        for (zoneID, gone) in Dictionary(grouping: answers.goneOnServer, by: \.zoneID) {
            try importPage(FetchedPage(zoneID: zoneID, deletions: gone))
        }
        state.withLock { $0.forbidden = answers.forbidden }
        for zoneID in answers.missingZones {
            if rules.mirrored(zoneID) == rules.home {
                try changeZone(zoneID) { _, zone in zone.isSaved = false }
            } else {
                try beginListing(of: zoneID, mayBeGone: true)
            }
        }
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
