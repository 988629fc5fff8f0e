import Foundation
import StratusCloudKit
import StratusCoreData

/// Records of a zone that were fetched together.
struct FetchedPage: Sendable {
    var zoneID: CKRecordZone.ID
    var records: [CKRecord] = []
    var deletions: [CKRecord.ID] = []
    /// Whether the page ends the listing of the zone.
    var endsListing = false
    /// A change of the zone's share.
    var share: ShareChange?
    /// The names of records that take the place of changes that the server has forbidden.
    var reverts: Set<String> = []

    /// A share that was saved or deleted.
    enum ShareChange: Sendable {
        case saved(CKShare)
        case deleted

        /// The share as the tables have it.
        var archive: Data? {
            if case .saved(let share) = self { share.archive } else { nil }
        }
    }
}

// Fetched changes are taken over by the store.
extension StoreMirror {
    /// Attempts to take over a page while programs save the same objects.
    static let attempts = 100

    func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) throws {
        var pages: [CKRecordZone.ID: FetchedPage] = [:]
        func change(_ recordID: CKRecord.ID, _ body: (inout FetchedPage) -> Void) {
            guard let zoneID = rules.mirrored(recordID.zoneID) else { return }
            body(&pages[zoneID, default: FetchedPage(zoneID: zoneID)])
        }
        for record in changes.modifications.map(\.record) {
            change(record.recordID) { page in
                if let share = record as? CKShare { page.share = .saved(share) } else { page.records.append(record) }
            }
        }
        for recordID in changes.deletions.map(\.recordID) {
            change(recordID) { page in
                if recordID.recordName == CKRecordNameZoneWideShare {
                    page.share = .deleted
                } else {
                    page.deletions.append(recordID)
                }
            }
        }
        for page in pages.values.sorted(by: { $0.zoneID.zoneName < $1.zoneID.zoneName }) { try importPage(page) }
    }

    /// Takes over a page in one save.
    func importPage(_ page: FetchedPage) throws {
        var attempt = 1
        while true {
            try noteLocalChanges()
            let session = try makeSession(adding: page.zoneID)
            guard let zone = session.zone(page.zoneID) else { return }
            let context = makeContext()
            let work = PageImport(page, session, zone, model, context)
            do {
                try context.performAndWait { try work.run() }
                if !work.failures.isEmpty { noteImportFailures(work.failures) }
                return armExport()
            } catch  where error.isConflict && attempt < Self.attempts {
                MirroringDebug.write(.batches, store, "merges the page again after the save of a program")
                attempt += 1
            }
        }
    }

    // MARK: - Events

    func beginImport() {
        let event = events.begin(.import)
        state.withLock { $0.importing = event }
    }

    func noteImportFailures(_ failures: [RecordFailure]) { state.withLock { $0.importing?.failures += failures } }

    func noteImportError(_ error: any Error) { state.withLock { $0.importing?.error = error } }

    /// Ends a fetch. If all records of a listing have come, those that did not are deleted.
    func endImport(_ error: (any Error)?) throws {
        if error == nil {
            let zones = try makeSession().zones.values.sorted { $0.number < $1.number }
            for zone in zones where zone.isListing && !zone.isDraft {
                if zone.isSaved || zone.zoneID == rules.home {
                    try endListing(of: zone)
                } else {
                    try removeZone(zone.zoneID)
                }
            }
            try checkFormers()
            try deleteDrafts()
        }
        let event = state.withLock { state in
            defer { state.importing = nil }
            return state.importing
        }
        if let event { events.end(event, error) }
    }

    private func endListing(of zone: ZoneRow) throws {
        let missing = try store.reading { try MirrorTables(transaction: $0).unlistedNames(in: zone.number) }
        MirroringDebug.write(
            .batches, store, "fetched all of zone \(zone.zoneID.zoneName), which lacks \(missing.count) records")
        try importPage(
            FetchedPage(
                zoneID: zone.zoneID, deletions: missing.map { CKRecord.ID(recordName: $0, zoneID: zone.zoneID) },
                endsListing: true))
    }

    /// Lets the records be deleted that moved objects have left behind, after what others changed in them was fetched.
    private func checkFormers() throws {
        let exist = try store.reading { try MirrorTables(transaction: $0).hasRows(.formers) }
        guard exist else { return }
        try store.transaction { try MirrorTables(transaction: $0).checkFormers() }
        armExport()
    }
}

extension Error {
    /// Whether a program has saved the same objects meanwhile.
    var isConflict: Bool {
        isCocoa(.managedObjectMerge) || isCocoa(.persistentStoreSaveConflicts)
            || isCocoa(.managedObjectReferentialIntegrity)
    }
}
