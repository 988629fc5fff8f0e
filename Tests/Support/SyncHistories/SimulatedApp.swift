import CloudKit

/// An app on top of the engine, as careful authors write it. It merges what was edited on two devices, and sends again what
/// was refused. Pure: it changes its store and the state of the engine.
struct SimulatedApp {
    let history: History
    let mutation: Mutation?
    /// Persons by the names of their records.
    let people: [String: Person]
    var store = SimulatedStore()

    // MARK: The person

    mutating func edit(_ recordID: CKRecord.ID, _ state: CKSyncEngine.State, _ ledger: inout Ledger) {
        guard store.zones[recordID.zoneID] != .deleting else { return }
        makeZone(recordID.zoneID, state)
        var note = store.notes[recordID] ?? SimulatedStore.Note()
        if note.isDeleted {
            note.edits = []
            note.isDeleted = false
        }
        note.edits.insert(ledger.edited(recordID, of: store.owner))
        note.isUnsent = true
        store.notes[recordID] = note
        state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
    }

    /// - Returns: whether there was something to delete.
    mutating func delete(_ recordID: CKRecord.ID, _ state: CKSyncEngine.State) -> Bool {
        guard store.zones[recordID.zoneID] != .deleting, var note = store.notes[recordID], !note.isDeleted else {
            return false
        }
        note.isDeleted = true
        note.isUnsent = true
        store.notes[recordID] = note
        state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
        return true
    }

    mutating func makeZone(_ zoneID: CKRecordZone.ID, _ state: CKSyncEngine.State) {
        guard store.zones[zoneID] == nil else { return }
        store.zones[zoneID] = .unsent
        state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    }

    /// - Returns: whether there was something to delete.
    mutating func deleteZone(_ zoneID: CKRecordZone.ID, _ state: CKSyncEngine.State) -> Bool {
        guard let zone = store.zones[zoneID], zone != .deleting else { return false }
        store.zones[zoneID] = .deleting
        for recordID in store.recordIDs(in: zoneID) { forget(recordID, state) }
        state.add(pendingDatabaseChanges: [.deleteZone(zoneID)])
        return true
    }

    /// A process begins.
    func begin(_ state: CKSyncEngine.State) {
        // What was deleted, as the app has stored and the last process could not have kept by the engine, is not to be deleted
        // again: somebody may have made it anew.
        state.remove(
            pendingDatabaseChanges: state.pendingDatabaseChanges.filter { change in
                if case .deleteZone(let zoneID) = change { store.zones[zoneID] != .deleting } else { false }
            })
        state.remove(
            pendingRecordZoneChanges: state.pendingRecordZoneChanges.filter { change in
                if case .deleteRecord(let recordID) = change { store.notes[recordID]?.isDeleted != true } else { false }
            })
        // Which zones are to be made anew was decided when the app was told that they are gone, and stored before the state that
        // knows of it.
        state.add(pendingDatabaseChanges: store.unsentZones)
        guard history.recovers || store.serialization == nil else { return }
        state.add(pendingRecordZoneChanges: store.unsent)
    }

    // MARK: The engine asks

    func batch(
        _ context: CKSyncEngine.SendChangesContext, _ state: CKSyncEngine.State
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let pending = state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        let notes = store.notes
        // A process that ended may have forgotten a record, and not had that kept by the engine.
        state.remove(
            pendingRecordZoneChanges: pending.filter { change in
                if case .saveRecord(let recordID) = change { notes[recordID] == nil } else { false }
            })
        var batch = await CKSyncEngine.RecordZoneChangeBatch(
            pendingChanges: Array(pending.prefix(history.batchSize))
        ) { recordID in notes[recordID].map { CKRecord.note(recordID, $0) } }
        batch?.atomicByZone = history.isAtomic
        return batch
    }

    // MARK: The engine tells

    mutating func handle(_ event: CKSyncEngine.Event, _ state: CKSyncEngine.State, _ ledger: inout Ledger) {
        switch event {
        case .stateUpdate(let event):
            store.serialization = event.stateSerialization
            store.keptOwner = store.engineOwner
            store.pendingRecords = state.pendingRecordZoneChanges
            store.pendingZones = state.pendingDatabaseChanges
        case .accountChange(let event): handle(event, state, &ledger)
        case .fetchedDatabaseChanges(let event): handle(event, state, &ledger)
        case .fetchedRecordZoneChanges(let event): handle(event, state, &ledger)
        case .sentDatabaseChanges(let event): handle(event, state, &ledger)
        case .sentRecordZoneChanges(let event): handle(event, state, &ledger)
        case .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges:
            break
        }
    }

    // MARK: What becomes of a record

    /// It is as the server has it, together with what was written here.
    mutating func take(_ record: CKRecord) {
        let recordID = record.recordID
        guard store.zones[recordID.zoneID] != .deleting else { return }
        var note = store.notes[recordID] ?? SimulatedStore.Note()
        note.known = record
        if !note.isUnsent {
            note.edits = record.edits
        } else if !note.isDeleted, mutation != .overwritesConflicts {
            note.edits.formUnion(record.edits)
        }
        store.notes[recordID] = note
    }

    /// It was deleted elsewhere.
    mutating func takeDeletion(of recordID: CKRecord.ID, _ state: CKSyncEngine.State, _ ledger: inout Ledger) {
        guard var note = store.notes[recordID] else { return }
        guard note.isUnsent, !note.isDeleted else { return forget(recordID, state) }
        guard !history.deletionWins else {
            ledger.dropped(note.edits)
            return forget(recordID, state)
        }
        note.known = nil
        store.notes[recordID] = note
        state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
    }

    mutating func forget(_ recordID: CKRecord.ID, _ state: CKSyncEngine.State) {
        store.notes[recordID] = nil
        state.remove(pendingRecordZoneChanges: [.saveRecord(recordID), .deleteRecord(recordID)])
    }

    // MARK: What becomes of a zone

    /// It was deleted elsewhere. What was written here and not sent makes it anew.
    mutating func takeDeletion(of zoneID: CKRecordZone.ID, _ state: CKSyncEngine.State) {
        if store.zones[zoneID] == .deleting { return forgetZone(zoneID, state) }
        for recordID in store.recordIDs(in: zoneID) {
            guard var note = store.notes[recordID], note.isUnsent, !note.isDeleted else {
                forget(recordID, state)
                continue
            }
            note.known = nil
            store.notes[recordID] = note
        }
        // Also where it is to be made already: the engine of an earlier process knew that, perhaps, and this one does not.
        let isWanted = store.zones[zoneID] == .unsent || !store.recordIDs(in: zoneID).isEmpty
        store.zones[zoneID] = nil
        if isWanted { makeZone(zoneID, state) }
    }

    /// The person does not want its data any more, wherever they are.
    mutating func takePurge(of zoneID: CKRecordZone.ID, _ state: CKSyncEngine.State, _ ledger: inout Ledger) {
        for recordID in store.recordIDs(in: zoneID) {
            if let note = store.notes[recordID], note.isUnsent { ledger.dropped(note.edits) }
            forget(recordID, state)
        }
        forgetZone(zoneID, state)
    }

    mutating func forgetZone(_ zoneID: CKRecordZone.ID, _ state: CKSyncEngine.State) {
        store.zones[zoneID] = nil
        state.remove(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID)), .deleteZone(zoneID)])
    }
}
