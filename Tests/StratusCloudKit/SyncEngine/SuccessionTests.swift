import CloudKit
import StratusTesting
import StratusWorkers
import Testing

/// Programs that make their engine anew.
@Suite struct SyncSuccessionTests {
    @Test func whatAReplacedEngineIsAskedForTheOtherOneDoes() async throws {
        let cloud = try await LocalCloud()
        let app = RemakingApp(cloud.account("ada").container.privateCloudDatabase)
        let first = app.engine
        let second = app.remake()
        try await first.sendChanges()
        try await first.fetchChanges()
        #expect(app.names(of: first).isEmpty)
        #expect(app.names(of: second).first == "accountChange")
        #expect(app.names(of: second).last == "didFetchChanges")
        #expect(try await app.database.record(for: RemakingApp.recordID).recordType == "Note")
    }

    /// As in Apple's sample, whose delegate adds to the engine that it has when it is told who signed in.
    @Test func whatIsAddedToTheOtherOneWhileASendBeginsIsSent() async throws {
        let cloud = try await LocalCloud()
        let app = RemakingApp(cloud.account("ada").container.privateCloudDatabase)
        let first = app.engine
        app.remakes("accountChange")
        try await first.sendChanges()
        #expect(app.names(of: first) == ["accountChange"])
        #expect(app.engine !== first)
        #expect(try await app.database.record(for: RemakingApp.recordID).recordType == "Note")
    }

    @Test func aReplacedEngineSaysWhatItSentAndReportsNoState() async throws {
        let cloud = try await LocalCloud()
        let app = RemakingApp(cloud.account("ada").container.privateCloudDatabase)
        let first = app.engine
        app.remakes("sentDatabaseChanges")
        try await first.sendChanges()
        let names = app.names(of: first)
        let remade = try #require(names.firstIndex(of: "sentDatabaseChanges"))
        #expect(names[remade...].dropFirst() == ["didSendChanges"])
        #expect(app.names(of: app.engine).contains("sentRecordZoneChanges"))
        #expect(app.engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test func aReplacedEngineEndsItsFetchAtTheNextStep() async throws {
        let cloud = try await LocalCloud()
        let account = cloud.account("ada")
        let writer = SyncApp(account.device("phone").container.privateCloudDatabase)
        writer.edit("a", "A")
        try await writer.send()
        let app = RemakingApp(account.device("laptop").container.privateCloudDatabase)
        let first = app.engine
        app.remakes("willFetchRecordZoneChanges")
        try await first.fetchChanges()
        #expect(
            app.names(of: first).suffix(3) == [
                "willFetchRecordZoneChanges", "didFetchRecordZoneChanges", "didFetchChanges",
            ])
        let errors = app.log(of: first).events.compactMap { event in
            if case .didFetchRecordZoneChanges(let event) = event { event.error?.code } else { nil }
        }
        #expect(errors == [.operationCancelled])
        #expect(app.names(of: app.engine).contains("fetchedRecordZoneChanges"))
    }

    @Test func anAutomaticEngineThatIsReplacedFallsSilent() async throws {
        let cloud = try await LocalCloud()
        let account = cloud.account("ada")
        let app = RemakingApp(account.container.privateCloudDatabase, automatically: true)
        let first = app.engine
        await app.log(of: first).wait(for: "didSendChanges")
        let second = app.remake()
        await first.cancelOperations()
        let before = app.steps(of: first)
        await app.log(of: second).wait(for: "didSendChanges")
        for engine in [first, second] {
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(RemakingApp.recordID)])
        }
        await app.log(of: second).wait(for: "didSendChanges", count: 2)
        // Comes after what the engine was about to do.
        try await first.sendChanges()
        #expect(app.steps(of: first) == before)
    }

    @Test func onlyTheSameDelegateAndDatabaseAreReplaced() async throws {
        let cloud = try await LocalCloud()
        let account = cloud.account("ada")
        let app = RemakingApp(account.container.privateCloudDatabase)
        let first = app.engine
        let other = RemakingApp(account.container.privateCloudDatabase)
        let shared = app.makeEngine(account.container.sharedCloudDatabase)
        let elsewhere = app.makeEngine(account.device("laptop").container.privateCloudDatabase)
        try await first.fetchChanges()
        #expect(app.names(of: first).last == "didFetchChanges")
        #expect(app.names(of: shared).isEmpty && app.names(of: elsewhere).isEmpty)
        #expect(other.names(of: other.engine).isEmpty)
    }

    @Test func anEngineWhoseSuccessorIsGoneGoesOn() async throws {
        let cloud = try await LocalCloud()
        let app = RemakingApp(cloud.account("ada").container.privateCloudDatabase)
        let first = app.engine
        _ = app.makeEngine(app.database)
        try await first.sendChanges()
        #expect(app.steps(of: first).last == "didSendChanges")
    }
}

/// Has one record, and makes its engine anew as it is told to.
private final class RemakingApp: CKSyncEngineDelegate {
    static let zoneID = CKRecordZone.ID(zoneName: "Notes")
    static let recordID = CKRecord.ID(recordName: "mine", zoneID: zoneID)

    private struct Model {
        var engine: CKSyncEngine?
        var logs: [ObjectIdentifier: EventLog] = [:]
        /// Kept, so that no other one is made at the same address.
        var former: [CKSyncEngine] = []
        var known: CKRecord?
        var remakesAt: String?
    }

    let database: CKDatabase
    private let automatically: Bool
    private let model = Lock(Model())

    init(_ database: CKDatabase, automatically: Bool = false) {
        self.database = database
        self.automatically = automatically
        remake()
    }

    var engine: CKSyncEngine { model.withLock { $0.engine } ?? remake() }

    /// What an engine's events are called.
    func names(of engine: CKSyncEngine) -> [String] {
        log(of: engine).events.map { String($0.description.prefix { $0 != "(" }) }
    }

    /// The same without those that only say what is to be kept.
    func steps(of engine: CKSyncEngine) -> [String] { names(of: engine).filter { $0 != "stateUpdate" } }

    func log(of engine: CKSyncEngine) -> EventLog {
        model.withLock { model in
            if let log = model.logs[ObjectIdentifier(engine)] { return log }
            let log = EventLog()
            model.logs[ObjectIdentifier(engine)] = log
            return log
        }
    }

    /// Makes the engine anew at the next event whose name begins so, before it is handled.
    func remakes(_ name: String) { model.withLock { $0.remakesAt = name } }

    @discardableResult
    func remake() -> CKSyncEngine {
        let engine = makeEngine(database)
        model.withLock { model in
            model.engine = engine
            model.former.append(engine)
        }
        return engine
    }

    func makeEngine(_ database: CKDatabase) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: self)
        configuration.automaticallySync = automatically
        return CKSyncEngine(configuration)
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        let remakes = model.withLock { model in
            guard let name = model.remakesAt, event.description.hasPrefix(name) else { return false }
            model.remakesAt = nil
            return true
        }
        if remakes { remake() }
        switch event {
        case .accountChange:
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(Self.recordID)])
        case .sentRecordZoneChanges(let event):
            model.withLock { $0.known = event.savedRecords.first ?? $0.known }
        default: break
        }
        log(of: syncEngine).add(event)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let known = model.withLock { $0.known }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
            known ?? CKRecord(recordType: "Note", recordID: $0)
        }
    }
}
