import Foundation
import StratusCloudKit
import StratusCoreData

// The delegate of the sync engine.
extension StoreMirror: CKSyncEngineDelegate {
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        await controls?.reach("request")
        return CKSyncEngine.FetchChangesOptions(
            scope: .allExcluding(Array(state.withLock { $0.otherZones })),
            operationGroup: context.options.operationGroup)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        await controls?.reach("batch")
        guard isCurrent(syncEngine) else { return nil }
        let batch = await work(for: syncEngine) { try self.prepareBatch() }??.limited()
        await controls?.reach("batch built")
        return isCurrent(syncEngine) ? batch : nil
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        await controls?.reach("event \(event.kind)")
        guard isCurrent(syncEngine) else { return }
        await work(for: syncEngine) { try self.handle(event) }
        if case .sentRecordZoneChanges = event { _ = await revertForbidden(for: syncEngine) }
        await controls?.reach("event handled")
    }

    private func handle(_ event: CKSyncEngine.Event) throws {
        guard !isClosed else { return }
        MirroringDebug.note(event, of: store)
        switch event {
        case .stateUpdate(let update): try keep(update.stateSerialization)
        case .accountChange(let change): try take(change.changeType)
        case .fetchedDatabaseChanges(let changes):
            for zoneID in changes.modifications.map(\.zoneID) where rules.mirrored(zoneID) == nil {
                state.withLock { _ = $0.otherZones.insert(zoneID) }
            }
            for deletion in changes.deletions {
                guard let zoneID = rules.mirrored(deletion.zoneID) else { continue }
                try takeDeletion(of: zoneID, deletion.reason)
            }
        case .willFetchChanges: beginImport()
        case .fetchedRecordZoneChanges(let changes): try take(changes)
        case .didFetchRecordZoneChanges(let end):
            if let error = end.error { noteImportError(error) } else { try noteExistence(of: end.zoneID) }
        case .didFetchChanges(let end): try endImport(end.error)
        case .sentDatabaseChanges(let changes): try take(changes)
        case .sentRecordZoneChanges(let changes): try take(SentChanges(changes))
        case .didSendChanges: endExport()
        case .willFetchRecordZoneChanges, .willSendChanges: break
        }
    }

    private func keep(_ serialization: CKSyncEngine.State.Serialization) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let data = try encoder.encode(serialization)
        try store.transaction { try MirrorTables(transaction: $0).setEngineState(data) }
    }

    // MARK: - Changes of zones and accounts

    /// Takes over a change of the account, which is an event of setup.
    private func take(_ change: CKSyncEngine.Event.AccountChange.ChangeType) throws {
        let account: String? =
            switch change {
            case .signIn(let user), .switchAccounts(_, let user): user.recordName
            case .signOut: nil
            }
        let known = try store.reading { try MirrorTables(transaction: $0).account() }
        let isLate = state.withLock { state in
            defer { state.isSetUp = account != nil }
            return !state.isSetUp
        }
        let setup = isLate || (known != nil && known != account) ? events.begin(.setup) : nil
        do {
            if let known, known != account { try removeEverything(of: known) }
            try store.transaction { try MirrorTables(transaction: $0).setAccount(account) }
            try noteLocalChanges()
        } catch {
            if let setup { events.end(setup, error) }
            throw error
        }
        if let setup { events.end(setup, account == nil ? MirroringError.signedOut : nil) }
        armExport()
    }

    private func takeDeletion(
        of zoneID: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason
    ) throws {
        switch reason {
        case .encryptedDataReset where rules.home != nil:
            try noteLocalChanges()
            try changeZone(zoneID) { tables, zone in
                zone.isSaved = false
                try tables.exportAgain(zone.number)
            }
            armExport()
        // The engine reports it as well when it fetches the zone from the beginning. The objects whose records do not come
        // are removed when all have come, and a zone of a share if it does not come itself.
        case .deleted: try beginListing(of: zoneID, mayBeGone: true)
        case .purged, .encryptedDataReset: try removeZone(zoneID)
        @unknown default: break
        }
    }

    /// Lets the next fetch end with the deletion of objects whose records did not come.
    func beginListing() throws {
        for zone in try makeSession().zones.values {
            try beginListing(of: zone.zoneID, mayBeGone: zone.zoneID != rules.home)
        }
    }

    /// - Parameter mayBeGone: Whether the server may not have the zone any more.
    func beginListing(of zoneID: CKRecordZone.ID, mayBeGone: Bool) throws {
        try changeZone(zoneID) { tables, zone in
            zone.isListing = true
            if mayBeGone { zone.isSaved = false }
            try tables.forgetListing(of: zone.number)
        }
    }

    /// Notes that the server has a zone whose records were fetched.
    private func noteExistence(of zoneID: CKRecordZone.ID) throws {
        guard let zone = try makeSession().zone(zoneID), !zone.isSaved, !zone.isDraft else { return }
        try changeZone(zoneID) { _, zone in zone.isSaved = true }
    }

    /// Changes the state of a zone, if it is known.
    func changeZone(_ zoneID: CKRecordZone.ID, _ body: (MirrorTables, inout ZoneRow) throws -> Void) throws {
        try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            guard let known = rules.mirrored(zoneID), var zone = try tables.findZone(known) else { return }
            try body(tables, &zone)
            try tables.update(zone)
        }
    }

    private func take(_ changes: CKSyncEngine.Event.SentDatabaseChanges) throws {
        for zone in changes.savedZones { try changeZone(zone.zoneID) { _, zone in zone.isSaved = true } }
        if !changes.savedZones.isEmpty { armExport() }
        for failure in changes.failedZoneSaves { noteExportError(failure.error) }
        try takeDeletedZones(changes)
    }
}

extension CKSyncEngine.Event {
    /// The name of the case.
    fileprivate var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
