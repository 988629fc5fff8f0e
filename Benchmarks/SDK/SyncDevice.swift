import CloudKit
import StratusWorkers

/// A device with a sync engine that makes its records when they are asked for and counts what comes.
final class SyncDevice: CKSyncEngineDelegate {
    private struct State {
        var engine: CKSyncEngine?
        var fetched = 0
        var hasSynchronized = false
        var waiters: [(isMet: @Sendable (Int, Bool) -> Bool, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    init(_ server: Stratus, _ name: String, automatically: Bool) throws {
        let container = CKContainer(
            identifier: StratusData.container, transport: try HTTPCloudTransport(to: server, clientID: name),
            keyStore: MemoryKeyStore())
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: nil, delegate: self)
        configuration.automaticallySync = automatically
        let engine = CKSyncEngine(configuration)
        state.withLock { $0.engine = engine }
    }

    func engine() throws -> CKSyncEngine {
        guard let engine = state.withLock({ $0.engine }) else { throw BenchmarkError("the device has no engine") }
        return engine
    }

    /// Records that came so far.
    var fetched: Int { state.withLock { $0.fetched } }

    /// Waits until so many records have come.
    func wait(untilFetched count: Int) async { await wait { fetched, _ in fetched >= count } }

    /// Waits until the device has sent and fetched once.
    func waitForFirstSynchronization() async { await wait { _, hasSynchronized in hasSynchronized } }

    private func wait(until isMet: @escaping @Sendable (Int, Bool) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if isMet(state.fetched, state.hasSynchronized) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        let woken = state.withLock { state in
            switch event {
            case .fetchedRecordZoneChanges(let changes): state.fetched += changes.modifications.count
            case .didFetchChanges: state.hasSynchronized = true
            default: break
            }
            let (fetched, hasSynchronized) = (state.fetched, state.hasSynchronized)
            let met = state.waiters.filter { $0.isMet(fetched, hasSynchronized) }.map(\.wake)
            state.waiters.removeAll { $0.isMet(fetched, hasSynchronized) }
            return met
        }
        for waiter in woken { waiter.resume() }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
            recordID in
            Int(recordID.recordName.dropFirst("note-".count)).map { SmallRecords.record($0) }
        }
    }
}
