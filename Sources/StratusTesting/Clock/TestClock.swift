import Foundation
import StratusWorkers

/// Time as a cloud and the library that talks to it see it.
///
/// It begins with the machine's date and goes on as the machine's does, except that nobody waits: when the library would
/// wait before it tries again, or an injected latency would hold it up, the clock jumps ahead instead. Once it is
/// stopped, only the test moves it, and whoever waits does so until it gets there.
public final class TestClock: Clock, Sendable {
    /// A moment: so long after the clock was made.
    public struct Instant: InstantProtocol {
        /// How long after the clock was made.
        public let elapsed: Duration

        /// A moment so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
        /// How long it is from here to another moment.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
        /// Whether one moment comes before the other.
        public static func < (left: Instant, right: Instant) -> Bool { left.elapsed < right.elapsed }
    }

    private struct Sleeper {
        let deadline: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// Ahead of the machine, while it goes.
        var ahead = Duration.zero
        /// What the machine's clock said when it was left; nil while it counts.
        var machine: Duration?
        /// Where it stands; nil while it goes.
        var stopped: Instant?
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
        var number = 0
    }

    private let state = Lock(State())
    private let start = ContinuousClock.now
    private let startDate: Date

    init() {
        // Whole milliseconds, as the service counts.
        startDate = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
    }

    /// This moment.
    public var now: Instant { state.withLock { now($0) } }
    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }
    /// The date and time of this moment.
    public var date: Date { startDate.addingTimeInterval(now.elapsed / .seconds(1)) }

    /// Milliseconds since 1970-01-01 UTC.
    var milliseconds: Int64 {
        let elapsed = now.elapsed.components
        return Int64((startDate.timeIntervalSince1970 * 1_000).rounded()) + elapsed.seconds * 1_000
            + elapsed.attoseconds / 1_000_000_000_000_000
    }

    // MARK: For the test

    /// Stops the clock: it moves only by ``advance(by:)`` now.
    public func stop() { state.withLock { $0.stopped = now($0) } }

    /// Lets the clock go again, from where it stands. Whoever waits has waited long enough.
    public func resume() {
        let woken = state.withLock { state -> [Sleeper] in
            guard let stopped = state.stopped else { return [] }
            let latest = state.sleepers.values.map(\.deadline).max().map { max($0, stopped) } ?? stopped
            state.stopped = nil
            state.ahead = latest.elapsed - machine(state)
            return Self.takeSleepers(upTo: latest, &state)
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    /// The machine's time does not count any more: the clock jumps when somebody would wait, and moves by ``advance(by:)``,
    /// so that it shows the same each time that the same is done, however quick the machine is.
    public func leaveMachine() { state.withLock { $0.machine = $0.machine ?? ContinuousClock.now - start } }

    /// Moves the clock ahead, and wakes in order whoever waits for a moment that has come.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time goes one way")
        let woken = state.withLock { state -> [Sleeper] in
            guard let stopped = state.stopped else {
                state.ahead += duration
                return []
            }
            let next = stopped.advanced(by: duration)
            state.stopped = next
            return Self.takeSleepers(upTo: next, &state)
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    /// Waits until so many wait for a stopped clock: then a retry is due, or a request is held up.
    public func untilWaiting(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: For those who wait

    /// Waits until a moment of a stopped clock; makes it come where the clock goes.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state -> Int? in
            guard let stopped = state.stopped else {
                state.ahead = max(state.ahead, deadline.elapsed - machine(state))
                return nil
            }
            guard deadline > stopped else { return nil }
            state.number += 1
            return state.number
        }
        guard let number else { return await Task.yield() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, watchers) = state.withLock { state in add(number, deadline, continuation, &state) }
                switch outcome {
                case .waits: break
                case .isOver: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    private enum Outcome { case waits, isOver, cancelled }

    private func add(
        _ number: Int, _ deadline: Instant, _ wake: CheckedContinuation<Void, any Error>, _ state: inout State
    ) -> (Outcome, [CheckedContinuation<Void, Never>]) {
        if Task.isCancelled { return (.cancelled, []) }
        guard let stopped = state.stopped, deadline > stopped else { return (.isOver, []) }
        state.sleepers[number] = Sleeper(deadline: deadline, wake: wake)
        let count = state.sleepers.count
        let ready = state.watchers.filter { $0.count <= count }.map(\.wake)
        state.watchers.removeAll { $0.count <= count }
        return (.waits, ready)
    }

    private static func takeSleepers(upTo moment: Instant, _ state: inout State) -> [Sleeper] {
        let due = state.sleepers.filter { $0.value.deadline <= moment }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        for (number, _) in due { state.sleepers[number] = nil }
        return due.map(\.value)
    }

    private func machine(_ state: State) -> Duration { state.machine ?? ContinuousClock.now - start }

    private func now(_ state: State) -> Instant { state.stopped ?? Instant(elapsed: machine(state) + state.ahead) }
}
