import Foundation
import StratusWorkers

/// Threads for calls that block. Beyond a limit, calls wait without a thread until another one returns.
final class DriveThreads: Sendable {
    typealias Body = @Sendable () -> Void

    private struct State {
        var running = 0
        var lastNumber = 0
        var waiting: [(number: Int, body: Body)] = []
    }

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int = DriveLimits.coordinationThreads) { self.limit = limit }

    /// Runs a call on a thread, in order of arrival.
    /// - Returns: The number of the call, for ``cancel(_:)``.
    @discardableResult
    func run(_ body: @escaping Body) -> Int {
        let (number, needsThread) = state.withLock { state in
            state.lastNumber += 1
            state.waiting.append((state.lastNumber, body))
            let needsThread = state.running < limit
            if needsThread { state.running += 1 }
            return (state.lastNumber, needsThread)
        }
        if needsThread {
            Thread.detachNewThread { [self] in
                while let body = next() { body() }
            }
        }
        return number
    }

    /// Forgets a call that has no thread yet.
    func cancel(_ number: Int) { state.withLock { $0.waiting.removeAll { $0.number == number } } }

    /// The next call for a thread, which ends if no call waits.
    private func next() -> Body? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst().body
        }
    }
}
