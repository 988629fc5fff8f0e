/// An ordered, transactional key-value store: all that Stratus asks of an engine.
///
/// Every engine promises the same: a transaction in a partition is serializable; a commit that was acknowledged
/// survives a crash; a reader sees one snapshot. The contract suite holds each engine to it.
public protocol CloudStore: Sendable {
    /// Runs `body` on a snapshot of the partition and returns its result.
    ///
    /// The body runs on a thread that may block, exactly once. It must not keep the transaction.
    /// - Throws: what the body throws, or ``StoreError``.
    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Runs `body` on at most so many threads at once, all on the same snapshot of the partition, for work that the
    /// bodies share out among themselves. It runs once at least.
    /// - Throws: what a body throws, or ``StoreError``.
    func readTogether(
        _ partition: Partition, workers: Int, _ body: @escaping @Sendable (any ReadTransaction) throws -> Void
    ) async throws

    /// Runs `body` and makes what it wrote durable before returning its result. If the body throws, nothing is written.
    ///
    /// The engine may run the body more than once (a lost race on a distributed engine) and may make the writes of many
    /// callers durable together. The body must have no effect outside the transaction.
    /// - Throws: what the body throws, or ``StoreError``.
    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result

    /// All partitions to which anything was ever written, in no particular order.
    func partitions() async throws -> [Partition]

    /// Figures for the metrics page.
    func statistics() -> StoreStatistics

    /// Finishes what is under way, syncs, and releases the files. Later calls throw ``StoreError/Code/closed``.
    func close() async
}

extension CloudStore {
    /// For engines that read a snapshot on one thread only.
    public func readTogether(
        _ partition: Partition, workers: Int, _ body: @escaping @Sendable (any ReadTransaction) throws -> Void
    ) async throws {
        try await read(partition, body)
    }
}

/// One database of one owner, the unit that a transaction is about and a cluster distributes by.
public struct Partition: Hashable, Sendable {
    /// What it is called; any text, and the same partition for the same text.
    public let name: String

    /// The partition of a name. It exists as soon as something is written to it.
    public init(_ name: String) { self.name = name }
}

/// A key and its value.
public struct StoreEntry: Hashable, Sendable {
    /// Unique in its partition.
    public let key: Key
    /// May be empty.
    public let value: [UInt8]

    /// An entry as it is read.
    public init(key: Key, value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// Reading in a transaction.
public protocol ReadTransaction {
    /// The values of many keys in the order asked, nil where there is none. One round trip.
    func get(_ keys: [Key]) throws -> [[UInt8]?]

    /// At most `limit` entries of a range in ascending order of their keys' bytes, or descending when `reverse`.
    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry]

    /// Calls `body` with the entries that ``entries(in:limit:reverse:)`` has, one after the other and where they lie,
    /// until it returns false. What it is given is gone when it returns.
    /// - Throws: what the body throws, or the engine.
    func forEach(
        in range: KeyRange, limit: Int, reverse: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws
}

extension ReadTransaction {
    /// The value of a key, nil where there is none.
    public func get(_ key: Key) throws -> [UInt8]? { try get([key])[0] }

    /// For engines whose entries lie nowhere: reads them in steps of bounded size.
    public func forEach(
        in range: KeyRange, limit: Int, reverse: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var (rest, left, step) = (range, limit, StoreLimits.firstStep)
        while left > 0 {
            let asked = min(step, left)
            let entries = try entries(in: rest, limit: asked, reverse: reverse)
            var size = 0
            for entry in entries {
                size += entry.value.count
                let goesOn = try entry.key.bytes.withUnsafeBytes { key in
                    try entry.value.withUnsafeBytes { try body(key, $0) }
                }
                guard goesOn else { return }
            }
            guard entries.count == asked, let last = entries.last else { return }
            if reverse { rest.upper = last.key } else { rest.lower = last.key.next }
            left -= entries.count
            step = max(1, StoreLimits.stepSize / max(1, size / entries.count))
        }
    }

    /// At most `limit` entries of a range in ascending order.
    public func entries(in range: KeyRange, limit: Int) throws -> [StoreEntry] {
        try entries(in: range, limit: limit, reverse: false)
    }
}

/// Reading and writing in a transaction. A transaction reads its own writes.
public protocol WriteTransaction: ReadTransaction {
    /// Gives a key a value. A key, a value or a transaction over a limit of ``StoreLimits`` makes the whole
    /// transaction fail with ``StoreError/Code/tooLarge`` when its body has returned.
    func set(_ key: Key, _ value: [UInt8])
    func clear(_ key: Key)
    func clear(_ range: KeyRange)
}

/// What an engine is doing, since it was opened.
public struct StoreStatistics: Hashable, Sendable {
    /// Transactions that read only, whether they succeeded or not.
    public var readTransactions: UInt64 = 0
    /// Transactions that could write, whether they succeeded or not.
    public var writeTransactions: UInt64 = 0
    /// Syncs; fewer than ``writeTransactions`` when commits are grouped.
    public var commits: UInt64 = 0
    /// Counts of commits by the number of transactions in them; upper bounds of the buckets in ``commitSizeBounds``,
    /// the last bucket is everything above.
    public var commitSizes: [UInt64] = []
    /// Upper bounds of the buckets of ``commitSizes``.
    public static let commitSizeBounds: [Int] = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    /// Bytes on disk, by file name; empty for engines without files.
    public var fileSizes: [String: UInt64] = [:]

    /// All zero.
    public init() {}
}
