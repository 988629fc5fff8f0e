import StratusWorkers

/// A value that arrives once, and may be waited for.
final class Once<Value: Sendable>: Sendable {
    private let state = Lock<(value: Value?, waiters: [CheckedContinuation<Value, Never>])>((nil, []))

    func arrive(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard state.value == nil else { return [] }
            defer { state = (value, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiters.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
