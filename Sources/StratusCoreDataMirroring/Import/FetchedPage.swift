import Foundation
import StratusCloudKit
import StratusCoreData

/// Records that were fetched together.
struct FetchedPage: Sendable {
    var records: [CKRecord] = []
    var deletions: [CKRecord.ID] = []
    /// Whether the page ends the listing of the zone.
    var endsListing = false
}

// Fetched changes are taken over by the store.
extension StoreMirror {
    /// Attempts to take over a page while programs save the same objects.
    private static let attempts = 100

    func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) throws {
        try importPage(
            FetchedPage(
                records: changes.modifications.map(\.record).filter { $0.recordID.zoneID.zoneName == zoneID.zoneName },
                deletions: changes.deletions.map(\.recordID).filter { $0.zoneID.zoneName == zoneID.zoneName }))
    }

    /// Takes over a page in one save.
    func importPage(_ page: FetchedPage) throws {
        var attempt = 1
        while true {
            try noteLocalChanges()
            let session = try MirrorSession(store, zoneID)
            let context = makeContext()
            let work = PageImport(page, session, model, context)
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

    /// Deletes the objects of the store, and forgets everything about their records.
    func removeEverything() throws {
        var attempt = 1
        while true {
            let context = makeContext()
            do {
                return try context.performAndWait { try removeObjects(context) }
            } catch  where error.isConflict && attempt < Self.attempts {
                attempt += 1
            }
        }
    }

    private func removeObjects(_ context: NSManagedObjectContext) throws {
        for name in model.entityNames {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            request.affectedStores = [store]
            for object in try context.fetch(request) { context.delete(object) }
        }
        try context.save(to: store) { try MirrorTables(transaction: $0).clear() }
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
        let zone = try store.reading { try MirrorTables(transaction: $0).findZone(zoneID) }
        if error == nil, zone?.isListing == true { try endListing() }
        let event = state.withLock { state in
            defer { state.importing = nil }
            return state.importing
        }
        if let event { events.end(event, error) }
    }

    private func endListing() throws {
        let missing = try store.reading { transaction in
            let tables = MirrorTables(transaction: transaction)
            return try tables.unlistedNames(in: tables.findZone(zoneID)?.number ?? 0)
        }
        MirroringDebug.write(.batches, store, "fetched all of the zone, which lacks \(missing.count) records")
        try importPage(
            FetchedPage(
                deletions: missing.map { CKRecord.ID(recordName: $0, zoneID: zoneID) }, endsListing: true))
    }
}

extension Error {
    /// Whether a program has saved the same objects meanwhile.
    fileprivate var isConflict: Bool {
        isCocoa(.managedObjectMerge) || isCocoa(.persistentStoreSaveConflicts)
            || isCocoa(.managedObjectReferentialIntegrity)
    }
}
