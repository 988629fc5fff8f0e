import StratusWorkers

/// Lets many changes of a state be told with one report.
final class PendingReport: Sendable {
    private let isPending = Lock(false)

    /// Whether a report is to be made: none waits to be made.
    func begin() -> Bool {
        isPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
    }

    /// A report is being made; what changes now is for the next.
    func end() { isPending.withLock { $0 = false } }
}
