import StratusCloudKit
import StratusWorkers

/// Decides when the store of a public database is sent and fetched, which `CKSyncEngine` does for other databases. It
/// has the same times and retries.
final class PublicMirrorEngine: MirrorEngine {
    private struct Reference {
        weak var mirror: StoreMirror?
    }

    private struct State: Sendable {
        /// Whether the last fetch has succeeded.
        var hasImported = false
        /// The pause before the next fetch.
        var interval = PublicMirrorLimits.feedInterval
    }

    private let reference: Lock<Reference>
    private let driver: SyncDriver
    private let accountWatch = AccountWatch()
    private let pushes = PushLine()
    private let state = Lock(State())
    private let container: CKContainer

    init(_ mirror: StoreMirror) {
        reference = Lock(Reference(mirror: mirror))
        container = mirror.plan.container
        driver = SyncDriver(container)
    }

    deinit {
        driver.stop()
        pushes.close()
    }

    /// Begins to synchronize without being asked.
    func begin() {
        accountWatch.begin(container) { [weak self] in self?.driver.update { $0.accountChanged(at: $1) } }
        driver.update { $0.accountChanged(at: $1) }
        driver.begin(isAllSent: { false }) { [weak self] work in await self?.listenAndRun(work) ?? .dormant }
    }

    private func listenAndRun(_ work: SyncWork) async -> SyncOutcome {
        await pushes.attach(to: container) { [weak self] in self?.take($0) }
        return await run(work)
    }

    /// Fetches at once what a subscription of the program reports, and what came while there was no network. The mirror
    /// has no subscriptions of its own: each would make each save in the database notify each person who uses the app.
    private func take(_ report: PushReport) {
        switch report {
        case .notification(let notification as CKQueryNotification) where notification.databaseScope == .public: break
        case .listening: break
        default: return
        }
        driver.update { schedule, now in
            schedule.networkReturned()
            schedule.fetchNeeded(at: now)
        }
    }

    func sendSoon(saving zones: [CKRecordZone]) { driver.update { $0.changesAdded(at: $1) } }

    func synchronize() async {
        for work in [SyncWork(sends: true), SyncWork(fetches: true), SyncWork(sends: true)] { _ = await run(work) }
    }

    func cancelOperations() async {
        driver.stop()
        pushes.close()
    }

    private func run(_ work: SyncWork) async -> SyncOutcome {
        guard let mirror = reference.withLock({ $0.mirror }) else { return .dormant }
        let turn = PublicMirrorTurn(engine: self, mirror: mirror)
        let outcome = await turn.run(work)
        if case .failed = outcome { return outcome }
        if work.fetches {
            let interval = state.withLock { $0.interval }
            driver.update { $0.fetchNeeded(at: $1 + interval) }
        }
        return outcome
    }

    // MARK: - Fetching

    /// Whether a fetch has an event even if it finds nothing: the first one, and the first one that succeeds after a failure.
    var needsImportEvent: Bool { state.withLock { !$0.hasImported } }

    /// Notes the outcome of a fetch.
    /// - Parameter interval: The pause before the next one.
    func noteImport(_ succeeded: Bool, next interval: Duration) {
        state.withLock { ($0.hasImported, $0.interval) = (succeeded, interval) }
    }
}
