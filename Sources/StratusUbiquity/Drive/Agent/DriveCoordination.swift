import Foundation
import StratusWorkers

/// Lets the changes that an agent makes wait for the programs that use the items, and the other way round.
///
/// Calls that block run on threads of their own, so that the agent answers programs meanwhile: one of them may wait for the
/// agent inside of an accessor.
struct DriveCoordination: Sendable {
    /// Returns this process among those that coordinate.
    var peer: @Sendable () throws -> CoordinationPeer = { try CoordinationPeer.current() }
    /// Seconds that the agent waits for the programs that use an item.
    var patience = DriveLimits.coordination
    /// The threads of calls that block: as long as another process has stopped with the lock of the ledger, each of them
    /// does so for good, whether the agent still waits for it or not.
    private let threads = DriveThreads()

    /// Waits until items may be changed, but not longer than some seconds.
    /// - Throws: ``DriveFailure/inUse(_:)`` if a program does not make way in time, ``DriveFailure/coordination(_:)`` if
    ///   one cannot save its changes, or if coordination does not work.
    func hold(_ accesses: [CoordinatedAccess], atMost seconds: Double) async throws -> DriveHold {
        let name = ((accesses.first?.item ?? "") as NSString).lastPathComponent
        let attempt = Attempt(name)
        let (peer, threads) = (peer, threads)
        let clock = Task {
            try await Task.sleep(for: .seconds(seconds))
            attempt.giveUp()
        }
        defer { clock.cancel() }
        return try await withCheckedContinuation { continuation in
            guard attempt.begin(continuation) else { return }
            let call = threads.run {
                do {
                    let peer = try peer()
                    let claim = try peer.acquire(
                        purpose: UUID().uuidString, presenter: nil, accesses: accesses, waiter: attempt.waiter)
                    let hold = DriveHold(peer: peer, claim: claim, threads: threads)
                    if !attempt.finish(.success(hold)) { hold.release() }
                } catch {
                    let text = "'\(name)': \(error.localizedDescription)"
                    _ = attempt.finish(.failure(.coordination(text)))
                }
            }
            attempt.note(call, of: threads)
        }.get()
    }

    /// An attempt to hold items, which ends once.
    private final class Attempt: Sendable {
        typealias Outcome = Result<DriveHold, DriveFailure>

        private struct State {
            var continuation: CheckedContinuation<Outcome, Never>?
            var hasEnded = false
            /// Forgets the call if it has no thread yet.
            var forget: (@Sendable () -> Void)?
        }

        let waiter = CoordinationWaiter()
        private let name: String
        private let state = Lock(State())

        init(_ name: String) { self.name = name }

        /// - Returns: Whether the agent still waits.
        func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.continuation = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume(returning: .failure(.inUse(name))) }
            return !hasEnded
        }

        /// Notes the call that makes the attempt.
        func note(_ call: Int, of threads: DriveThreads) {
            let hasEnded = state.withLock { state in
                state.forget = { threads.cancel(call) }
                return state.hasEnded
            }
            if hasEnded { threads.cancel(call) }
        }

        /// - Returns: Whether the agent still waits.
        func finish(_ outcome: Outcome) -> Bool {
            let continuation = state.withLock { state in
                state.hasEnded = true
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(returning: outcome)
            return continuation != nil
        }

        func giveUp() {
            _ = finish(.failure(.inUse(name)))
            waiter.cancel()
            state.withLock { $0.forget }?()
        }
    }
}

/// Items that an agent may change now.
struct DriveHold: Sendable {
    let peer: CoordinationPeer
    let claim: HeldClaim
    fileprivate let threads: DriveThreads

    /// Lets others use the items, and notifies presenters of what happened. Returns at once.
    /// - Parameter move: From where to where an item was moved.
    func end(_ move: (from: String, to: String)? = nil) {
        threads.run { release(move) }
    }

    /// The same. Blocks.
    fileprivate func release(_ move: (from: String, to: String)? = nil) {
        // Claims that wait for the item follow it before they go on.
        if let move { NSFileCoordinator.report { try peer.move(from: move.from, to: move.to, by: nil) } }
        NSFileCoordinator.report { try peer.release(claim) }
    }
}

/// An item that a step of an agent changes, and how.
struct DriveChange {
    /// The names on the way to the item, from the container on: not those of its placeholder.
    let names: [String]
    let options: NSFileCoordinator.WritingOptions
    /// False if the item is only looked at, after programs have saved their changes.
    var isWriting = true
}

extension DriveAgent {
    /// Makes a change when no program uses the items. Presenters of the items are asked before, and notified after it.
    /// - Parameter staged: A content for the change. It is kept for the next attempt if the change is not made.
    func coordinated<Value>(
        _ change: DriveChange, with staged: DriveStaged? = nil, body: () throws -> Value
    ) async throws -> Value {
        do {
            let hold = try await self.hold([change])
            defer { hold.end() }
            let value = try body()
            if let staged { folder.discard(staged) }
            return value
        } catch {
            if let staged { folder.keep(staged) }
            throw error
        }
    }

    /// Moves an item when no program uses it. Its presenters and its versions follow it.
    /// - Parameters:
    ///   - body: Returns whether it was moved.
    ///   - note: Notes that it was. If the process ends before, the next scan finds that the item has moved, and lets the
    ///     versions follow that have not.
    func coordinatedMove(
        from old: [String], to new: [String], body: () throws -> Bool, note: () throws -> Void
    ) async throws -> Bool {
        let hold = try await hold([DriveChange(names: old, options: .forMoving), DriveChange(names: new, options: [])])
        var move: (from: String, to: String)?
        defer { hold.end(move) }
        guard try body() else { return false }
        let (from, to) = (path(old), path(new))
        move = (from, to)
        NSFileCoordinator.report { try versions.move(from: from, to: to) }
        try note()
        return true
    }

    /// Waits until items may be changed.
    func hold(_ changes: [DriveChange]) async throws -> DriveHold {
        let accesses = changes.map { change in
            let path = path(change.names)
            return CoordinatedAccess(
                item: path, unit: CoordinatedPath.unit(of: path), isWriting: change.isWriting,
                options: change.options.rawValue)
        }
        let left = max(DriveLimits.furtherCoordination, DriveLimits.allCoordination - heldUp)
        let start = ContinuousClock.now
        do {
            return try await coordination.hold(accesses, atMost: min(coordination.patience, left))
        } catch {
            // Only what was waited for in vain counts: many short waits are no program that hangs.
            heldUp += (ContinuousClock.now - start) / .seconds(1)
            throw error
        }
    }

    private func path(_ names: [String]) -> String {
        ([versions.container ?? folder.path] + names).joined(separator: "/")
    }
}
