import CloudKit
import Foundation
import StratusWorkers

/// A small app on an engine, as authors write them: titles by name, in one zone, the later edit wins.
final class SyncApp: CKSyncEngineDelegate {
    static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    struct Note: Hashable, Sendable {
        var title: String
        var edited: Int
    }

    private struct Model {
        var notes: [String: Note] = [:]
        var known: [String: CKRecord] = [:]
        var serialization: CKSyncEngine.State.Serialization?
        var engine: CKSyncEngine?
        var clock = 0
    }

    private let model = Lock(Model())
    let log = EventLog()
    /// Called before the app itself handles an event.
    let onEvent = Lock<(@Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void)?>(nil)
    /// Called in the place of the app's own batch.
    let onBatch = Lock<
        (@Sendable (CKSyncEngine.SendChangesContext, CKSyncEngine) async -> CKSyncEngine.RecordZoneChangeBatch?)?
    >(nil)
    let onOptions = Lock<(@Sendable (CKSyncEngine.FetchChangesContext) -> CKSyncEngine.FetchChangesOptions)?>(nil)
    /// Whether what failed is put right and added again.
    let repairs: Bool

    init(
        _ database: CKDatabase, _ serialization: CKSyncEngine.State.Serialization? = nil, automatically: Bool = false,
        subscriptionID: String? = nil, repairs: Bool = true
    ) {
        self.repairs = repairs
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: serialization, delegate: self)
        configuration.automaticallySync = automatically
        configuration.subscriptionID = subscriptionID
        let engine = CKSyncEngine(configuration)
        model.withLock { $0.engine = engine }
    }

    var engine: CKSyncEngine {
        guard let engine = model.withLock({ $0.engine }) else { preconditionFailure("an app has an engine") }
        return engine
    }
    var state: CKSyncEngine.State { engine.state }
    var titles: [String: String] { model.withLock { $0.notes.mapValues(\.title) } }
    var serialization: CKSyncEngine.State.Serialization? { model.withLock { $0.serialization } }
    func known(_ name: String) -> CKRecord? { model.withLock { $0.known[name] } }

    static func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }

    /// The person edits.
    func edit(_ name: String, _ title: String, at edited: Int? = nil) {
        model.withLock { model in
            model.clock += 1
            model.notes[name] = Note(title: title, edited: edited ?? model.clock)
        }
        state.add(pendingRecordZoneChanges: [.saveRecord(Self.id(name))])
    }

    func delete(_ name: String) {
        model.withLock { $0.notes[name] = nil }
        state.add(pendingRecordZoneChanges: [.deleteRecord(Self.id(name))])
    }

    /// Forgets what the server is known to have.
    func forgetKnown(_ name: String) { model.withLock { $0.known[name] = nil } }

    func send() async throws { try await engine.sendChanges() }
    func fetch() async throws { try await engine.fetchChanges() }
    /// The error that sending ends with.
    func sendFailure() async -> CKError? { await error { try await self.send() } }

    // MARK: CKSyncEngineDelegate

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        await onEvent.withLock { $0 }?(event, syncEngine)
        handle(event, syncEngine)
        log.add(event)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        if let onBatch = onBatch.withLock({ $0 }) { return await onBatch(context, syncEngine) }
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { self.record(for: $0) }
    }

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { onOptions.withLock { $0 }?(context) ?? context.options }

    func record(for recordID: CKRecord.ID) -> CKRecord? {
        let (note, known) = model.withLock { ($0.notes[recordID.recordName], $0.known[recordID.recordName]) }
        guard let note else { return nil }
        let record =
            known.flatMap { $0.copy() as? CKRecord } ?? CKRecord(recordType: "Note", recordID: recordID)
        record["title"] = note.title
        record["edited"] = note.edited
        return record
    }

    private func handle(_ event: CKSyncEngine.Event, _ engine: CKSyncEngine) {
        switch event {
        case .stateUpdate(let event): model.withLock { $0.serialization = event.stateSerialization }
        case .accountChange(let event):
            if case .signIn = event.changeType {
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
                let names = model.withLock { $0.notes.keys.sorted() }
                engine.state.add(pendingRecordZoneChanges: names.map { .saveRecord(Self.id($0)) })
            } else {
                clear()
            }
        case .fetchedDatabaseChanges(let event):
            if event.deletions.contains(where: { $0.zoneID == Self.zoneID }) { clear() }
        case .fetchedRecordZoneChanges(let event):
            for modification in event.modifications { merge(modification.record) }
            for deletion in event.deletions { remove(deletion.recordID.recordName) }
        case .sentRecordZoneChanges(let event): handle(event, engine.state)
        default: break
        }
    }

    private func handle(_ event: CKSyncEngine.Event.SentRecordZoneChanges, _ state: CKSyncEngine.State) {
        model.withLock { model in
            for record in event.savedRecords { model.known[record.recordID.recordName] = record }
            for recordID in event.deletedRecordIDs { model.known[recordID.recordName] = nil }
        }
        guard repairs else { return }
        for failure in event.failedRecordSaves {
            let recordID = failure.record.recordID
            switch failure.error.code {
            case .serverRecordChanged:
                if let record = failure.error.serverRecord { merge(record) }
            case .zoneNotFound:
                state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
                forgetKnown(recordID.recordName)
            case .unknownItem: forgetKnown(recordID.recordName)
            case .batchRequestFailed: break
            default: continue
            }
            state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        }
    }

    private func clear() {
        model.withLock { model in
            model.notes = [:]
            model.known = [:]
        }
    }

    private func remove(_ name: String) {
        model.withLock { model in
            model.notes[name] = nil
            model.known[name] = nil
        }
    }

    private func merge(_ record: CKRecord) {
        let name = record.recordID.recordName
        let note = Note(title: record["title"] as? String ?? "", edited: record["edited"] as? Int ?? 0)
        model.withLock { model in
            model.known[name] = record
            if (model.notes[name]?.edited ?? -1) < note.edited { model.notes[name] = note }
        }
    }
}

/// The error that `body` fails with, if it is one of CloudKit.
func error(of body: () async throws -> Void) async -> CKError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? CKError
    }
}
