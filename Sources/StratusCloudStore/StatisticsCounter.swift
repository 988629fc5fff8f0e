import StratusWorkers

/// Counts what an engine does.
final class StatisticsCounter: Sendable {
    private let counts = Lock(StoreStatistics())

    var current: StoreStatistics { counts.withLock { $0 } }

    init() {
        counts.withLock { $0.commitSizes = Array(repeating: 0, count: StoreStatistics.commitSizeBounds.count + 1) }
    }

    func countRead() { counts.withLock { $0.readTransactions += 1 } }

    /// Counts a group of write transactions; `committed` if it had something to make durable.
    func countWrites(_ transactions: Int, committed: Bool) {
        counts.withLock { counts in
            counts.writeTransactions += UInt64(transactions)
            guard committed else { return }
            counts.commits += 1
            let bounds = StoreStatistics.commitSizeBounds
            counts.commitSizes[bounds.firstIndex { transactions <= $0 } ?? bounds.count] += 1
        }
    }
}
