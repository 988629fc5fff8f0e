import CloudModel
import CloudStore
import Testing
import Workers

@testable import CloudService

/// What a page costs goes by the page, not by the zone.
@Suite struct FeedCostTests {
    @Test("As many keys are read for a page of a large zone as of a small one")
    func keysRead() async throws {
        var costs: [String: Set<Int>] = [:]
        for count in [10, 1_000] {
            let store = CountingStore(MemoryStore())
            let cloud = try await TestCloud(store: store)
            try await cloud.makeZone("Z")
            for start in stride(from: 0, to: count, by: 200) {
                let names = (start..<min(start + 200, count)).map { "r\($0)" }
                _ = try await cloud.modify(names.map { .make(.create, $0) }, zone: "Z")
            }
            func cost(_ what: String, _ body: () async throws -> ZoneChangesPage) async throws -> ZoneChangesPage {
                store.reset()
                let page = try await body()
                costs[what, default: []].insert(store.keysRead)
                return page
            }
            let first = try await cost("first page") { try await cloud.changes("Z", limit: 5) }
            _ = try await cost("second page") { try await cloud.changes("Z", since: first.syncToken, limit: 4) }
            _ = try await cost("latest first") { try await cloud.changes("Z", limit: 5, reverse: true) }
            var all = first
            while all.moreComing { all = try await cloud.changes("Z", since: all.syncToken) }
            _ = try await cost("nothing new") { try await cloud.changes("Z", since: all.syncToken) }
            _ = try await cloud.modify([.make(.forceUpdate, "r3"), .make(.forceDelete, "r4")], zone: "Z")
            _ = try await cost("two changes") { try await cloud.changes("Z", since: all.syncToken) }
            store.reset()
            _ = try await cloud.databaseChanges()
            costs["database", default: []].insert(store.keysRead)
        }
        for (what, keys) in costs { #expect(keys.count == 1, "\(what): \(keys)") }
        // Header, counters, and a record more than asked.
        #expect(costs["first page"] == [2 + 6])
        #expect(costs["nothing new"] == [2])
        #expect(costs["two changes"] == [2 + 2])
    }

    @Test("Deletions do not stand in the way of who begins with nothing")
    func deletions() async throws {
        let store = CountingStore(MemoryStore())
        let cloud = try await TestCloud(store: store)
        try await cloud.makeZone("Z")
        for _ in 0..<5 {
            let names = (0..<200).map { "r\($0)" }
            _ = try await cloud.modify(names.map { .make(.create, $0) }, zone: "Z")
            _ = try await cloud.modify(names.map { .make(.forceDelete, $0) }, zone: "Z")
        }
        _ = try await cloud.modify([.make(.create, "live")], zone: "Z")
        store.reset()
        #expect(try await cloud.changes("Z").names == ["live"])
        #expect(store.keysRead == 2 + 1)
    }
}

/// A store that counts the keys whose values are read.
final class CountingStore: CloudStore {
    private let base: MemoryStore
    private let count = Lock(0)

    init(_ base: MemoryStore) { self.base = base }

    var keysRead: Int { count.withLock { $0 } }
    func reset() { count.withLock { $0 = 0 } }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition) { [count] transaction in
            try body(CountingTransaction(base: transaction, count: count))
        }
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition, body)
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}

private struct CountingTransaction: ReadTransaction {
    let base: any ReadTransaction
    let count: Lock<Int>

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        count.withLock { $0 += keys.count }
        return try base.get(keys)
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        let entries = try base.entries(in: range, limit: limit, reverse: reverse)
        count.withLock { $0 += entries.count }
        return entries
    }
}
