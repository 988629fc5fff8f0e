import CloudStore
import Workers

/// A store that counts what transactions read, and what they set.
final class MeteredStore: CloudStore {
    struct Counts: Equatable {
        var keys = 0
        var ranges = 0
        var entries = 0
        var writes = 0
    }

    private let base: any CloudStore
    private let state = Lock(Counts())

    init(_ base: any CloudStore) { self.base = base }

    /// What `body` made transactions do.
    func counting(_ body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0 = Counts() }
        try await body()
        return state.withLock { $0 }
    }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition) { try body(MeteredRead(base: $0, store: self)) }
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition) { try body(MeteredWrite(base: $0, store: self)) }
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }

    fileprivate func count(_ change: @Sendable (inout Counts) -> Void) { state.withLock { change(&$0) } }
}

private struct MeteredRead: ReadTransaction {
    let base: any ReadTransaction
    let store: MeteredStore

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        store.count { $0.keys += keys.count }
        return try base.get(keys)
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        let entries = try base.entries(in: range, limit: limit, reverse: reverse)
        store.count {
            $0.ranges += 1
            $0.entries += entries.count
        }
        return entries
    }
}

private struct MeteredWrite: WriteTransaction {
    let base: any WriteTransaction
    let store: MeteredStore

    func get(_ keys: [Key]) throws -> [[UInt8]?] { try MeteredRead(base: base, store: store).get(keys) }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        try MeteredRead(base: base, store: store).entries(in: range, limit: limit, reverse: reverse)
    }

    func set(_ key: Key, _ value: [UInt8]) {
        store.count { $0.writes += 1 }
        base.set(key, value)
    }

    func clear(_ key: Key) { base.clear(key) }
    func clear(_ range: KeyRange) { base.clear(range) }
}
