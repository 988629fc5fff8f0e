import Foundation
import StratusCloudKit
import StratusDeviceCredentials
import StratusWorkers

/// A process that is the agent of a container, or will be it when the agent of now ends.
final class DriveCandidate: Sendable {
    private struct State {
        var hasEnded = false
        /// Ends the synchronization that runs.
        var giveUp: DispatchSemaphore?
    }

    private let container: UbiquityContainer
    private let state = Lock(State())
    /// Left when it is known whether this process is the agent.
    private let decision = DispatchGroup()
    private let isDecided = Lock(false)

    init(_ container: UbiquityContainer) {
        self.container = container
        decision.enter()
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Waits until this process is the agent, or another one is.
    func waitUntilDecided() { decision.wait() }

    private func decide() {
        let isFirst = isDecided.withLock { isDecided in
            defer { isDecided = true }
            return !isDecided
        }
        if isFirst { decision.leave() }
    }

    /// Ends for good.
    func end() {
        let giveUp = state.withLock { state in
            state.hasEnded = true
            return state.giveUp
        }
        giveUp?.signal()
    }

    /// Whether the person is still signed in, and the container still in the same directory.
    private var isCurrent: Bool {
        guard let account = UbiquityAccount.current(), account.key == container.accountKey else { return false }
        return UbiquityContainer(container.identifier, of: account)?.path == container.path
    }

    /// Synchronizes whenever no other process does, until the person signs out. Blocks.
    func run() {
        defer {
            end()
            decide()
        }
        let address = DriveAddress(container)
        while !hasEnded, isCurrent {
            do throws(DriveError) {
                var lock = try address.becomeAgent(waits: false)
                if lock == nil {
                    decide()
                    lock = try address.becomeAgent(waits: true)
                }
                // Somebody may have signed out, or chosen another directory, while it waited.
                guard let lock, !hasEnded, isCurrent else { return }
                try synchronize(address, lock)
            } catch {
                return
            }
        }
    }

    /// Is the agent until another process takes over, or the person signs out.
    private func synchronize(_ address: DriveAddress, _ lock: FileLock) throws(DriveError) {
        let giveUp = DispatchSemaphore(value: 0)
        let agent = DriveAgent(
            container: container, cloud: CKContainer(identifier: container.identifier),
            settings: DriveSettings(container: container))
        defer { Self.wait { await agent.stop() } }
        try Self.wait { () throws(DriveError) in try await agent.start() }
        let listener = try DriveListener(agent, at: address, lock: lock) { giveUp.signal() }
        defer { listener.stop() }
        decide()
        // It may have come before this process listened.
        guard try !address.isTakenOver() else { return }
        let isOver = state.withLock { state in
            state.giveUp = giveUp
            return state.hasEnded
        }
        if !isOver { giveUp.wait() }
        state.withLock { $0.giveUp = nil }
    }

    /// Waits for asynchronous work on this thread, which is no thread of tasks.
    private static func wait<Failure: Error>(_ work: @escaping @Sendable () async throws(Failure) -> Void)
        throws(Failure)
    {
        let result = Lock<Result<Void, Failure>?>(nil)
        let semaphore = DispatchSemaphore(value: 0)
        Task {
            let end: Result<Void, Failure>
            do throws(Failure) { end = .success(try await work()) } catch { end = .failure(error) }
            result.withLock { $0 = end }
            semaphore.signal()
        }
        semaphore.wait()
        try result.withLock { $0 }?.get()
    }
}
