import StratusWorkers

/// Somebody's wish to hear of notifications; ends with the object.
final class PushSubscription: Sendable {
    private struct State: Sendable {
        var hasBegun = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    private let receive: @Sendable (PushReport) -> Void
    private let remove: @Sendable () -> Void

    init(_ receive: @escaping @Sendable (PushReport) -> Void, remove: @escaping @Sendable () -> Void) {
        self.receive = receive
        self.remove = remove
    }

    /// Waits until it is known whether there is a connection, or will be none.
    func begin() async {
        await withCheckedContinuation { continuation in
            let hasBegun = state.withLock { state in
                if !state.hasBegun { state.waiters.append(continuation) }
                return state.hasBegun
            }
            if hasBegun { continuation.resume() }
        }
    }

    func take(_ report: PushReport) {
        let isFirst = start()
        if isFirst, case .notification = report { return receive(report) }
        if !isFirst { receive(report) }
    }

    /// Hears nothing more.
    func end() {
        remove()
        _ = start()
    }

    private func start() -> Bool {
        let (isFirst, waiters) = state.withLock { state in
            defer { (state.hasBegun, state.waiters) = (true, []) }
            return (!state.hasBegun, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return isFirst
    }
}
