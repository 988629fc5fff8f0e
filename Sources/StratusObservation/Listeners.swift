import StratusWorkers

/// Whoever waits for the next value.
final class Listeners<Value: Sendable>: Sendable {
    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let state = Lock(State())

    /// Gives a value to everybody.
    func send(_ value: Value) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(value) }
    }

    /// The values from now on. Those that nobody has taken yet are kept.
    func values() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream()
        let number = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    deinit { for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish() } }
}
