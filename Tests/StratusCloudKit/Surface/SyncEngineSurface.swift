import CloudKit
import Foundation

/// The sync engine as programs use it. Compiled, not run.
final actor SyncEngineSurface: CKSyncEngineDelegate {
    struct AppData: Codable { var state: CKSyncEngine.State.Serialization? }

    var data = AppData()
    var engine: CKSyncEngine?

    func start(_ database: CKDatabase) {
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: data.state, delegate: self)
        configuration.automaticallySync = true
        configuration.subscriptionID = nil
        configuration.database = database
        configuration.stateSerialization = nil
        configuration.delegate = self
        let engine = CKSyncEngine(configuration)
        print(engine, configuration, engine.database, engine.state.zoneIDsWithUnfetchedServerChanges)
        self.engine = engine
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let update): data.state = update.stateSerialization
        case .accountChange(let change):
            switch change.changeType {
            case .signIn(let currentUser): print(currentUser)
            case .signOut(let previousUser): print(previousUser)
            case .switchAccounts(let previousUser, let currentUser): print(previousUser, currentUser)
            @unknown default: break
            }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions { print(deletion.zoneID, deletion.reason) }
            print(changes.modifications.map(\.zoneID))
        case .fetchedRecordZoneChanges(let changes):
            print(changes.modifications.map(\.record), changes.deletions.map(\.recordID))
        case .sentDatabaseChanges(let sent):
            for failure in sent.failedZoneSaves { print(failure.zone, failure.error.code) }
            for (zoneID, error) in sent.failedZoneDeletes { print(zoneID, error.retryAfterSeconds as Any) }
            print(sent.savedZones, sent.deletedZoneIDs)
        case .sentRecordZoneChanges(let sent):
            for failure in sent.failedRecordSaves { print(failure.record, failure.error.serverRecord as Any) }
            for (recordID, error) in sent.failedRecordDeletes { print(recordID, error) }
            print(sent.savedRecords, sent.deletedRecordIDs)
        case .willFetchChanges(let event): print(event.context.reason == .manual)
        case .willFetchRecordZoneChanges(let event): print(event.zoneID)
        case .didFetchRecordZoneChanges(let event): print(event.zoneID, event.error?.code as Any)
        case .didFetchChanges(let event): print(event.context.options.scope)
        case .willSendChanges(let event): print(event.context)
        case .didSendChanges(let event): print(event.context.reason == .scheduled)
        @unknown default: print("\(event)")
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            guard scope.contains(recordID) else {
                syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
                return nil
            }
            return CKRecord(recordType: "Note", recordID: recordID)
        }
        batch?.atomicByZone = true
        return batch ?? CKSyncEngine.RecordZoneChangeBatch(recordIDsToDelete: [])
    }

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        var options = context.options
        options.prioritizedZoneIDs = [.default]
        return options
    }

    static func use(_ engine: CKSyncEngine, _ zone: CKRecordZone, _ recordID: CKRecord.ID) async throws {
        engine.state.add(pendingDatabaseChanges: [.saveZone(zone), .deleteZone(zone.zoneID)])
        engine.state.remove(pendingDatabaseChanges: engine.state.pendingDatabaseChanges)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID), .deleteRecord(recordID)])
        engine.state.hasPendingUntrackedChanges = !engine.state.hasPendingUntrackedChanges
        let group = CKOperationGroup()
        try await engine.fetchChanges()
        try await engine.fetchChanges(.init(scope: .zoneIDs([zone.zoneID]), operationGroup: group))
        try await engine.fetchChanges(CKSyncEngine.FetchChangesOptions(scope: .allExcluding([])))
        try await engine.sendChanges()
        try await engine.sendChanges(.init(scope: .recordIDs([recordID])))
        let options = CKSyncEngine.SendChangesOptions(scope: .allExcluding([zone.zoneID]), operationGroup: group)
        try await engine.sendChanges(options)
        await engine.cancelOperations()
        print(options.operationGroup, Set(engine.state.pendingRecordZoneChanges))
    }
}
