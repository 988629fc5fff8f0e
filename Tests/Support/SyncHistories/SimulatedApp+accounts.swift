import CloudKit

// Who the data on a device belongs to.
extension SimulatedApp {
    /// Somebody else is signed in. What is here goes with whoever it belongs to; what was written while nobody was signed in
    /// belongs to who comes.
    mutating func handle(
        _ event: CKSyncEngine.Event.AccountChange, _ state: CKSyncEngine.State, _ ledger: inout Ledger
    ) {
        let (previous, current): (CKRecord.ID?, CKRecord.ID?) =
            switch event.changeType {
            case .signIn(let current): (nil, current)
            case .signOut(let previous): (previous, nil)
            case .switchAccounts(let previous, let current): (previous, current)
            }
        if person(previous) != store.engineOwner || previous == current {
            ledger.report(.order, "the account changed from \(name(previous)) to \(name(current))")
        }
        store.engineOwner = person(current)
        guard let owner = store.owner else { return adopt(person(current), &ledger) }
        guard owner != person(current) else { return }
        guard mutation != .keepsStrangersData else { return sendEverything(state) }
        forgetEverything(state, &ledger)
        adopt(person(current), &ledger)
    }

    private mutating func adopt(_ person: Person?, _ ledger: inout Ledger) {
        store.owner = person
        guard let person else { return }
        for note in store.notes.values { ledger.adopted(note.edits, by: person) }
    }

    /// Its owner is not here any more. The state that was kept goes as well: it speaks of what was fetched.
    private mutating func forgetEverything(_ state: CKSyncEngine.State, _ ledger: inout Ledger) {
        for note in store.notes.values where note.isUnsent {
            ledger.dropped(note.edits.subtracting(note.known?.edits ?? []))
        }
        // There is some only if the last process ended before it had kept who signed in.
        state.remove(pendingRecordZoneChanges: state.pendingRecordZoneChanges)
        state.remove(pendingDatabaseChanges: state.pendingDatabaseChanges)
        let engineOwner = store.engineOwner
        store = SimulatedStore()
        store.engineOwner = engineOwner
    }

    /// As if it were whoever's who is signed in.
    private mutating func sendEverything(_ state: CKSyncEngine.State) {
        for recordID in store.notes.keys { store.notes[recordID]?.isUnsent = true }
        for zoneID in store.zones.keys { store.zones[zoneID] = .unsent }
        state.add(pendingDatabaseChanges: store.unsentZones)
        state.add(pendingRecordZoneChanges: store.unsent)
    }

    private func person(_ recordID: CKRecord.ID?) -> Person? { recordID.flatMap { people[$0.recordName] } }

    private func name(_ recordID: CKRecord.ID?) -> String { person(recordID)?.rawValue ?? "nobody" }
}
