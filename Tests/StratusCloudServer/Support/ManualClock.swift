import StratusWorkers

/// A clock that stands until it is moved, and tells when somebody waits for it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var sinceStart: Duration

        func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(sinceStart: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var nextSleeper = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func takeContentWatchers() -> [CheckedContinuation<Void, Never>] {
            let content = watchers.filter { sleepers.count >= $0.count }
            watchers.removeAll { sleepers.count >= $0.count }
            return content.map(\.continuation)
        }
    }

    private let state = Lock(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state -> Int in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(Sleeper(deadline: deadline, continuation: continuation), number)
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func enqueue(_ sleeper: Sleeper, _ number: Int) {
        let (ready, watchers) = state.withLock {
            state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.contains(number) { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            state.sleepers[number] = sleeper
            return (nil, state.takeContentWatchers())
        }
        if let ready { sleeper.continuation.resume(with: ready) }
        for watcher in watchers { watcher.resume() }
    }

    /// Moves the time, and wakes those whose time has come.
    func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return Array(due.values)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until so many sleep.
    func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isContent = state.withLock { state -> Bool in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isContent { continuation.resume() }
        }
    }
}
