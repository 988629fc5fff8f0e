import Dispatch
import Foundation
import StratusCloudKit
import StratusCoreData
import StratusDeviceCredentials
import StratusWorkers

/// Keeps a store and a database of CloudKit the same.
///
/// One process at a time does it: the one that holds the lock beside the file.
final class StoreMirror: Sendable {
    struct State: Sendable {
        var engine: (any MirrorEngine)?
        /// The engine that ended because the disk did not take a change. Its further reports are ignored.
        var ended: (any MirrorEngine)?
        var lock: FileLock?
        var isClosed = false
        var isNotingPlanned = false
        /// Records that are on their way.
        var sending: [CKRecord.ID: SentRecord] = [:]
        /// Records whose changes the server has forbidden, and that are to be taken back.
        var forbidden: [CKRecord.ID] = []
        var importing: EventInProgress?
        var exporting: EventInProgress?
        /// Whether the last event of setup has succeeded.
        var isSetUp = false
        /// The zones that are being made for shares.
        var newZones: Set<CKRecordZone.ID> = []
        /// Zones of the program's own.
        var otherZones: Set<CKRecordZone.ID> = []
        /// The callers that wait for the first engine.
        var waiters: [CheckedContinuation<(any MirrorEngine)?, Never>] = []
    }

    /// The author of saves that take over changes of the cloud.
    static let importAuthor = "NSCloudKitMirroringDelegate.import"
    /// The pause before a new engine takes the place of one whose changes could not be written.
    private static let pause = Duration.seconds(30)

    let store: NSPersistentStore
    let coordinator: NSPersistentStoreCoordinator
    let plan: MirrorPlan
    let rules: MirroredZones
    let state = Lock(State())
    let events: EventLog
    let controls: MirroringControls?
    let staging: AssetStaging
    /// Does all work on the store, one after another.
    let queue = DispatchQueue(label: "org.stratus.core-data-mirroring")

    init(
        _ store: NSPersistentStore, _ plan: MirrorPlan, _ coordinator: NSPersistentStoreCoordinator,
        _ controls: MirroringControls? = nil,
        post: @escaping @Sendable (NSPersistentCloudKitContainer.Event) -> Void
    ) {
        self.store = store
        self.plan = plan
        rules = MirroredZones(scope: plan.scope)
        self.coordinator = coordinator
        self.controls = controls
        events = EventLog(store, post: post)
        staging = AssetStaging(store.stagingFolder)
    }

    var model: MirroredModel { plan.model }

    /// - Parameter zoneID: A zone that is added if it is not known.
    func makeSession(adding zoneID: CKRecordZone.ID? = nil) throws -> MirrorSession {
        try MirrorSession(store, rules, adding: zoneID)
    }

    // MARK: - Beginning and end

    /// Begins to mirror the store as soon as no other process does.
    func start() {
        store.observeRemoval { [weak self] in self?.close() }
        queue.async { self.prepare() }
    }

    /// Ends the mirroring, and lets other processes do it.
    func close() {
        let engine = state.withLock { state -> (any MirrorEngine)? in
            defer { (state.engine, state.isClosed) = (nil, true) }
            return state.engine
        }
        resumeWaiters(with: nil)
        queue.async { [self] in
            state.withLock { $0.lock = nil }
            // A destruction of the store leaves the file of the lock if it came before this.
            store.removeMirroringLockOfDeletedStore()
            guard let engine else { return }
            Task.detached { await engine.cancelOperations() }
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    private func prepare() {
        guard !isClosed else { return }
        do {
            try store.transaction(MirrorSchema.create)
            guard let path = store.mirroringLockPath else { return begin(nil) }
            if let lock = try FileLock.trying(path) { return begin(lock) }
            MirroringDebug.write(.batches, store, "is mirrored by another process; waits for its end")
            // The system ends the wait when the other process ends, however that ends.
            Thread.detachNewThread { [weak self] in
                guard let lock = try? FileLock.waiting(path), let self else { return }
                self.queue.async { self.begin(lock) }
            }
        } catch {
            events.report(.setup, error)
        }
    }

    private func begin(_ lock: FileLock?) {
        let begins = state.withLock { state in
            guard !state.isClosed else { return false }
            state.lock = lock
            return true
        }
        guard begins else { return }
        MirroringDebug.write(
            .batches, store, "is mirrored in the \(plan.scope) database of \(plan.options.containerIdentifier)")
        let setup = events.begin(.setup)
        Task.detached { [weak self, plan] in
            let failure = await MirroringError.ofAccount(plan.container, plan.scope)
            await self?.learnPublicAccount()
            guard let self else { return }
            self.queue.async { self.begin(setup, failure) }
        }
    }

    private func begin(_ setup: EventInProgress, _ failure: (any Error)?) {
        guard !isClosed else { return }
        do {
            try store.transaction { transaction in
                let tables = MirrorTables(transaction: transaction)
                if let home = rules.home { _ = try tables.zone(home) }
                try tables.forgetRefusals()
            }
        } catch {
            return events.end(setup, error)
        }
        state.withLock { $0.isSetUp = failure == nil }
        events.end(setup, failure)
        startEngine()
        guard controls == nil else { return }
        store.observeSaves { [weak self] in self?.noteSoon() }
        noteSoon()
    }

    /// Waits for the first engine; nil if the mirror ends before.
    func startedEngine() async -> (any MirrorEngine)? {
        await withCheckedContinuation { continuation in
            let (engine, waits) = state.withLock { state -> ((any MirrorEngine)?, Bool) in
                let waits = state.engine == nil && !state.isClosed
                if waits { state.waiters.append(continuation) }
                return (state.engine, waits)
            }
            if !waits { continuation.resume(returning: engine) }
        }
    }

    private func resumeWaiters(with engine: (any MirrorEngine)?) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: engine) }
    }

    // MARK: - The engine

    private static func subscriptionID(_ scope: CKDatabase.Scope) -> String {
        "com.apple.coredata.cloudkit.\(scope == .shared ? "shared" : "private").subscription"
    }

    private func startEngine() {
        guard state.withLock({ !$0.isClosed && $0.engine == nil }) else { return }
        let engine: any MirrorEngine
        do {
            engine = plan.scope == .public ? try makePublicEngine() : try makeSyncEngine()
        } catch {
            return events.report(.setup, error)
        }
        state.withLock { if !$0.isClosed { $0.engine = engine } }
        armExport()
        resumeWaiters(with: engine)
    }

    private func makeSyncEngine() throws -> CKSyncEngine {
        let stored = storedEngineState()
        if stored == nil { try beginListing() }
        var configuration = CKSyncEngine.Configuration(
            database: plan.container.database(with: plan.scope), stateSerialization: stored, delegate: self)
        configuration.subscriptionID = Self.subscriptionID(plan.scope)
        configuration.automaticallySync = controls == nil
        return CKSyncEngine(configuration)
    }

    /// The state of the engine; nil if it cannot be read, so that everything is fetched again.
    private func storedEngineState() -> CKSyncEngine.State.Serialization? {
        guard let data = try? store.reading({ try MirrorTables(transaction: $0).engineState() }) else { return nil }
        return try? PropertyListDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
    }

    /// Whether an engine reports changes that are taken over.
    func isCurrent(_ engine: any MirrorEngine) -> Bool { state.withLock { !$0.isClosed && $0.ended !== engine } }

    /// Returns the result of work on the store. If it fails, the engine ends, because it would go on as if the store had
    /// taken the change. A new engine begins some time later at the state that the store has.
    func work<Result: Sendable>(
        for engine: any MirrorEngine, _ body: @escaping @Sendable () throws -> Result
    ) async -> Result? {
        let result: Swift.Result<Result, any Error> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result { try body() }) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error):
            end(engine, error)
            return nil
        }
    }

    private func end(_ engine: any MirrorEngine, _ error: any Error) {
        let interrupted = state.withLock { state -> [EventInProgress]? in
            guard !state.isClosed, state.ended !== engine else { return nil }
            (state.engine, state.ended) = (nil, engine)
            defer { (state.sending, state.importing, state.exporting) = ([:], nil, nil) }
            return [state.importing, state.exporting].compactMap { $0 }
        }
        guard let interrupted else { return }
        queue.async { [events] in
            for event in interrupted { events.end(event, error) }
            if interrupted.isEmpty { events.report(.import, error) }
        }
        // Not waited for: this is called while the engine reports something.
        Task.detached { [weak self] in
            await engine.cancelOperations()
            do { try await Task.sleep(for: Self.pause) } catch { return }
            guard let self else { return }
            self.queue.async { self.startEngine() }
        }
    }
}
