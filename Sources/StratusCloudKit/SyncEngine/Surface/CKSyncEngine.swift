import Foundation
import StratusWorkers

/// Keeps what an app stores on a device and a database of CloudKit alike: it decides when to send and when to fetch, holds what
/// waits to be sent and how far changes were fetched, and tries again what may succeed later. The app says what changed,
/// gives records when they are asked for, and takes what was fetched.
///
/// For the private and the shared database; with one engine for each.
public final class CKSyncEngine: Sendable {
    /// What it synchronizes with.
    public let database: CKDatabase
    /// What waits, and how far things got.
    public let state: State
    let automaticallySync: Bool
    let subscriptionID: CKSubscription.ID?
    let seesReservedZones: Bool
    let fetchesAssets: Bool
    let delegate: WeakDelegate
    /// Sends, fetches and reports run one after another.
    let turns = SyncTurns()
    let driver: SyncDriver
    let pushes = PushLine()
    let accountWatch = AccountWatch()
    let report = PendingReport()
    let succession = SyncSuccession()

    /// Makes an engine, which begins at once if it synchronizes automatically. The delegate is held weakly.
    ///
    /// It takes the place of one that the same delegate made for the same database before: that one ends at its next step and
    /// reports no state any more, and what it is asked to send or fetch is sent or fetched by the new one.
    public init(_ configuration: Configuration) {
        database = configuration.database
        automaticallySync = configuration.automaticallySync
        subscriptionID = configuration.subscriptionID
        seesReservedZones = configuration.seesReservedZones
        fetchesAssets = configuration.fetchesAssets
        delegate = WeakDelegate(configuration.delegate)
        state = State(configuration.stateSerialization)
        let database = database
        driver = SyncDriver(transport: { database.source.connection.transport })
        state.onChange { [weak self] change in self?.stateChanged(change) }
        SyncSuccession.add(self)
        if automaticallySync { startSynchronizing() }
    }

    deinit {
        driver.stop()
        pushes.close()
    }

    /// Fetches changes now, and returns when the delegate has handled all events.
    /// - Throws: `CKError`: why something could not be fetched. `invalidArguments` inside a callback of the engine's delegate, where
    ///   waiting for it would never end.
    public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
        try refuseInCallback("fetchChanges")
        try await run {
            try await self.fetch(FetchChangesContext(reason: .manual, options: options))
        } orIn: {
            try await $0.fetchChanges(options)
        }
    }

    /// Sends what waits now, and returns when the delegate has handled all events.
    /// - Throws: `CKError`: why something could not be sent, `partialFailure` with the errors of single items.
    ///   `invalidArguments` inside a callback of the engine's delegate, where waiting for it would never end.
    public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
        try refuseInCallback("sendChanges")
        try await run {
            try await self.send(SendChangesContext(reason: .manual, options: options))
        } orIn: {
            try await $0.sendChanges(options)
        }
    }

    /// Cancels what is sent and fetched, and what is scheduled. What was on its way may have arrived; it stays pending.
    /// Returns when all has ended, or at once inside a callback of the engine's delegate.
    public func cancelOperations() async {
        driver.cancel()
        let ended = turns.cancelAll()
        guard !isInCallback else { return }
        for end in ended { await end() }
    }

    /// Waits until the delegate has handled what was reported before.
    package func settle() async throws { try await turns.run {} }
}

extension CKSyncEngine: CustomStringConvertible {
    /// For logs.
    public var description: String { "<CKSyncEngine: database=\(database), automaticallySync=\(automaticallySync)>" }
}
