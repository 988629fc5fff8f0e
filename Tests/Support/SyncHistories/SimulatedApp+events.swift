import CloudKit

// What was fetched and sent.
extension SimulatedApp {
    mutating func handle(
        _ event: CKSyncEngine.Event.FetchedDatabaseChanges, _ state: CKSyncEngine.State, _ ledger: inout Ledger
    ) {
        for deletion in event.deletions {
            switch deletion.reason {
            case .purged: takePurge(of: deletion.zoneID, state, &ledger)
            default: takeDeletion(of: deletion.zoneID, state)
            }
        }
        for modification in event.modifications where store.zones[modification.zoneID] != .deleting {
            store.zones[modification.zoneID] = .known
        }
    }

    mutating func handle(
        _ event: CKSyncEngine.Event.FetchedRecordZoneChanges, _ state: CKSyncEngine.State, _ ledger: inout Ledger
    ) {
        for modification in event.modifications {
            take(modification.record)
            guard mutation == .echoes else { continue }
            store.notes[modification.record.recordID]?.isUnsent = true
            state.add(pendingRecordZoneChanges: [.saveRecord(modification.record.recordID)])
        }
        guard mutation != .losesDeletions else { return }
        for deletion in event.deletions { takeDeletion(of: deletion.recordID, state, &ledger) }
    }

    mutating func handle(
        _ event: CKSyncEngine.Event.SentDatabaseChanges, _ state: CKSyncEngine.State, _ ledger: inout Ledger
    ) {
        for zone in event.savedZones where store.zones[zone.zoneID] == .unsent { store.zones[zone.zoneID] = .known }
        for failure in event.failedZoneSaves where !failure.error.isRetriedByEngine {
            ledger.report(.error, "a zone is not saved: \(failure.error.code)")
        }
        for zoneID in event.deletedZoneIDs where store.zones[zoneID] == .deleting { store.zones[zoneID] = nil }
        for (zoneID, error) in event.failedZoneDeletes where !error.isRetriedByEngine {
            switch error.code {
            case .zoneNotFound, .userDeletedZone: takeDeletion(of: zoneID, state)
            default: ledger.report(.error, "a zone is not deleted: \(error.code)")
            }
        }
    }

    mutating func handle(
        _ event: CKSyncEngine.Event.SentRecordZoneChanges, _ state: CKSyncEngine.State, _ ledger: inout Ledger
    ) {
        for record in event.savedRecords { takeSaved(record, state) }
        for failure in event.failedRecordSaves where !failure.error.isRetriedByEngine {
            takeFailure(failure, state, &ledger)
        }
        for recordID in event.deletedRecordIDs { takeDeleted(recordID) }
        for (recordID, error) in event.failedRecordDeletes where !error.isRetriedByEngine {
            switch error.code {
            case .unknownItem, .zoneNotFound, .userDeletedZone: takeDeleted(recordID)
            case .batchRequestFailed, .quotaExceeded, .serverRejectedRequest:
                if store.notes[recordID]?.isDeleted == true {
                    state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
                }
            default: ledger.report(.error, "a record is not deleted: \(error.code)")
            }
        }
    }

    private mutating func takeSaved(_ record: CKRecord, _ state: CKSyncEngine.State) {
        guard var note = store.notes[record.recordID] else { return }
        note.known = record
        if mutation == .swallowsEdits, !note.isDeleted {
            note.isUnsent = false
            state.remove(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
        } else if !note.isDeleted, note.edits == record.edits {
            note.isUnsent = false
        }
        store.notes[record.recordID] = note
    }

    private mutating func takeDeleted(_ recordID: CKRecord.ID) {
        guard var note = store.notes[recordID] else { return }
        guard !note.isDeleted else { return store.notes[recordID] = nil }
        // Written again while the deletion was on its way.
        note.known = nil
        store.notes[recordID] = note
    }

    private mutating func takeFailure(
        _ failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave, _ state: CKSyncEngine.State,
        _ ledger: inout Ledger
    ) {
        let recordID = failure.record.recordID
        guard let note = store.notes[recordID], note.isUnsent else { return }
        switch failure.error.code {
        case .serverRecordChanged:
            guard let record = failure.error.serverRecord else {
                return ledger.report(.error, "a conflict does not say with what")
            }
            take(record)
            if mutation == .dropsConflicts { return }
        case .unknownItem: return takeDeletion(of: recordID, state, &ledger)
        case .zoneNotFound where note.isDeleted: return forget(recordID, state)
        case .zoneNotFound:
            store.notes[recordID]?.known = nil
            if store.zones[recordID.zoneID] != .deleting {
                store.zones[recordID.zoneID] = .unsent
                state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
            }
        case .userDeletedZone: return takePurge(of: recordID.zoneID, state, &ledger)
        case .batchRequestFailed, .quotaExceeded, .serverRejectedRequest: break
        default: return ledger.report(.error, "a record is not saved: \(failure.error.code)")
        }
        state.add(pendingRecordZoneChanges: note.isDeleted ? [.deleteRecord(recordID)] : [.saveRecord(recordID)])
    }
}

extension CKError {
    /// What is documented to be tried again without the app.
    var isRetriedByEngine: Bool {
        switch code {
        case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
            .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost, .operationCancelled:
            true
        default: false
        }
    }
}

/// A fault that is put into the app, or between it and the engine, to see that it is found.
enum Mutation: String, Sendable, CaseIterable {
    /// Of two edits the later to be sent wins, whatever the other was.
    case overwritesConflicts
    /// What is in conflict is not sent again.
    case dropsConflicts
    /// Deletions do not arrive.
    case losesDeletions
    /// All that is fetched is sent again.
    case echoes
    /// What is edited while its record is on its way is taken for sent.
    case swallowsEdits
    /// The state is kept before what it speaks of.
    case keepsStateFirst
    /// What waits is not in the state that is kept.
    case forgetsPending
    /// What belongs to a person stays when another one is signed in.
    case keepsStrangersData
}
