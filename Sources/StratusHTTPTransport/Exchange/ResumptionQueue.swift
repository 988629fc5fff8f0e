import StratusWorkers

/// Exchanges of one I/O thread whose tasks can go on there.
///
/// To wake the thread takes a system call, and often a change of threads. What ends many waits at once, like a commit of
/// many saves, wakes it for the first, and the thread itself fetches the others.
final class ResumptionQueue: Sendable {
    private let waiting = Lock<[Exchange]>([])

    /// Resumes an exchange, now or soon. On any thread, not under the connection's lock.
    func add(_ exchange: Exchange) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(exchange)
            return waiting.count == 1
        }
        guard isFirst else { return }
        // One that is not suspended any more brings nobody here.
        WakeUps.add { [self] in if !resume(exchange) { resumeAll() } }
    }

    /// Resumes all that wait. The I/O thread calls it when an exchange goes on or ends, so what `add` has resumed is
    /// followed by the others.
    func resumeAll() {
        let exchanges = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for exchange in exchanges { _ = resume(exchange) }
    }

    /// - Returns: whether the I/O thread will call ``resumeAll()``. It does not for one that has been answered, and is
    ///   suspended because its body is not there yet.
    private func resume(_ exchange: Exchange) -> Bool {
        exchange.connection.withLock { !exchange.isLeft && exchange.resume() }
    }
}
