import StratusWorkers

/// A value that arrives once and that any number of tasks may wait for.
final class Once<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case waiting([CheckedContinuation<Value, Never>])
        case arrived(Value)
    }

    private let state = Lock<State>(.waiting([]))

    /// Gives the value to all who wait, now and later. Only the first call counts.
    func arrive(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .waiting(let waiters) = state else { return [] }
            state = .arrived(value)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// The value, when it is there.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    switch state {
                    case .arrived(let value): return value
                    case .waiting(let waiters):
                        state = .waiting(waiters + [continuation])
                        return nil
                    }
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
