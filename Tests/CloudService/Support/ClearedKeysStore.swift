import CloudStore
import Workers

/// A store that notes what was cleared, and counts reads of ranges that go over it again.
final class ClearedKeysStore: CloudStore {
    private let base: any CloudStore
    private let state = Lock((cleared: [KeyRange](), reads: 0))

    /// Whether single keys are noted, too.
    private let notesKeys: Bool

    init(_ base: any CloudStore, notesKeys: Bool = false) {
        self.base = base
        self.notesKeys = notesKeys
    }

    /// How often something was cleared.
    var clearings: Int { state.withLock { $0.cleared.count } }
    /// Reads of ranges with something in it that was cleared.
    var readsOverCleared: Int { state.withLock { $0.reads } }

    /// Begins anew.
    func forget() { state.withLock { $0 = ([], 0) } }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition, body)
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition) { try body(Transaction(base: $0, store: self)) }
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }

    private func noteClearing(of range: KeyRange) { state.withLock { $0.cleared.append(range) } }

    private func noteRead(of range: KeyRange) {
        state.withLock { state in
            if state.cleared.contains(where: { $0.lower < range.upper && range.lower < $0.upper }) { state.reads += 1 }
        }
    }

    private struct Transaction: WriteTransaction {
        let base: any WriteTransaction
        let store: ClearedKeysStore

        func get(_ keys: [Key]) throws -> [[UInt8]?] { try base.get(keys) }

        func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
            store.noteRead(of: range)
            return try base.entries(in: range, limit: limit, reverse: reverse)
        }

        func set(_ key: Key, _ value: [UInt8]) { base.set(key, value) }

        func clear(_ key: Key) {
            if store.notesKeys { store.noteClearing(of: KeyRange(lower: key, upper: Key(key.bytes + [0]))) }
            base.clear(key)
        }

        func clear(_ range: KeyRange) {
            store.noteClearing(of: range)
            base.clear(range)
        }
    }
}
