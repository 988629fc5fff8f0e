import StratusWorkers

/// A store in memory, for tests and simulation: nothing survives it.
///
/// Every transaction runs at once on the caller's thread, so what happens depends on the order of the calls alone.
public final class MemoryStore: CloudStore {
    /// A commit that succeeded.
    public struct Commit: Hashable, Sendable {
        /// Where it wrote.
        public let partition: Partition
        /// Keys that were set or cleared one by one, in ascending order.
        public let keys: [Key]
        /// Ranges that were cleared before that.
        public let clearedRanges: [KeyRange]
    }

    private struct State {
        var partitions: [Partition: SortedMap<[UInt8]>] = [:]
        var isClosed = false
        var faults: [Fault] = []
        var observer: (@Sendable (Commit) -> Void)?
    }

    private struct Fault {
        let error: StoreError
        let isAfterCommit: Bool
    }

    private let state = Lock(State())
    /// Held through a write transaction, so that they run one after another, while readers go on.
    private let writing = Lock(())
    private let counter = StatisticsCounter()

    /// An empty store.
    public init() {}

    /// See ``CloudStore/read(_:_:)``.
    public func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        counter.countRead()
        return try body(try snapshot(partition))
    }

    /// See ``CloudStore/write(_:_:)``. The body must not wait for another write to the store.
    public func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try writing.withLock { _ in try writeAlone(partition, body) }
    }

    /// See ``CloudStore/partitions()``.
    public func partitions() async throws -> [Partition] { state.withLock { Array($0.partitions.keys) } }

    /// See ``CloudStore/statistics()``.
    public func statistics() -> StoreStatistics { counter.current }

    /// See ``CloudStore/close()``.
    public func close() async { state.withLock { $0.isClosed = true } }

    /// Makes the next commit that writes something fail with `error`; calls add up, one commit each.
    ///
    /// With `afterCommit` its writes are kept although the caller is told of a failure, as when an answer is lost.
    public func failNextCommit(with error: StoreError, afterCommit: Bool = false) {
        state.withLock { $0.faults.append(Fault(error: error, isAfterCommit: afterCommit)) }
    }

    /// Calls `observer` after each commit, before its caller goes on. It must not use the store.
    public func observeCommits(_ observer: (@Sendable (Commit) -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    private func snapshot(_ partition: Partition) throws(StoreError) -> MemoryReadTransaction {
        try state.withLock { (state) throws(StoreError) in
            if state.isClosed { throw StoreError.isClosed }
            return MemoryReadTransaction(entries: state.partitions[partition] ?? SortedMap())
        }
    }

    private func writeAlone<Result: Sendable>(
        _ partition: Partition, _ body: (any WriteTransaction) throws -> Result
    ) throws -> Result {
        var committed = false
        defer { counter.countWrites(1, committed: committed) }
        let (result, writes) = try run(partition, body)
        guard !writes.isEmpty else { return result }
        let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
        if let fault, !fault.isAfterCommit { throw fault.error }
        let observer = state.withLock { state in
            writes.apply(to: &state.partitions[partition, default: SortedMap()])
            return state.observer
        }
        committed = true
        observer?(
            Commit(partition: partition, keys: writes.keys, clearedRanges: writes.clearedRanges))
        if let fault { throw fault.error }
        return result
    }

    /// What the body returns and writes. The snapshot is gone afterwards: it would make applying the writes copy.
    private func run<Result: Sendable>(
        _ partition: Partition, _ body: (any WriteTransaction) throws -> Result
    ) throws -> (Result, FinishedWrites) {
        let transaction = OverlayTransaction(over: try snapshot(partition))
        let result = try body(transaction)
        try transaction.checkLimits()
        return (result, transaction.takeWrites())
    }
}

/// A partition at one moment.
struct MemoryReadTransaction: ReadTransaction {
    let entries: SortedMap<[UInt8]>

    func get(_ keys: [Key]) throws -> [[UInt8]?] { keys.map { entries[$0] } }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        let found = entries[entries.indices(in: range)]
        func entry(_ element: (key: Key, value: [UInt8])) -> StoreEntry {
            StoreEntry(key: element.key, value: element.value)
        }
        guard limit > 0 else { return [] }
        return reverse ? found.reversed().prefix(limit).map(entry) : found.prefix(limit).map(entry)
    }
}

extension FinishedWrites {
    fileprivate func apply(to entries: inout SortedMap<[UInt8]>) {
        for range in clearedRanges { entries.remove(range) }
        forEach { bytes, value in
            let key = Key(Array(bytes))
            if let value { entries.set(key, Array(value)) } else { entries.remove(key) }
        }
    }

    fileprivate var keys: [Key] {
        var keys: [Key] = []
        forEach { key, _ in keys.append(Key(Array(key))) }
        return keys
    }
}
