import CloudModel
import CloudStore
import Testing
import Workers

@testable import CloudService

/// What references cost in reads.
@Suite struct ReferenceCostTests {
    @Test func onlyReferencesThatChangeAreReadFor() async throws {
        let counting = ReadCountingStore(MemoryStore())
        let cloud = try await TestCloud(store: counting)
        try await cloud.makeZone("Z")
        _ = try await cloud.modify(
            [.make(.create, "warm", ["a": .integer(1)]), .link("t"), .link("warm.link", to: ["t"])], zone: "Z")

        func reads(_ operations: [RecordOperation]) async throws -> Int {
            counting.reads.withLock { $0 = 0 }
            let codes = try await cloud.codes(operations)
            #expect(codes.allSatisfy { $0 == nil })
            return counting.reads.withLock { $0 }
        }
        let plain = try await reads([.make(.create, "p", ["a": .integer(1)])])
        #expect(plain == 4, "the zone, the records, what the database takes, and the counters of the feed")
        #expect(try await reads([.link("n", .none, to: ["t"])]) == plain)
        #expect(try await reads([.link("d", .deleteSelf, to: ["t"])]) == plain + 1, "the count")
        #expect(
            try await reads([.link("d", .deleteSelf, to: ["t"])]) == plain + 1,
            "the record itself; it refers to what it referred to")
        #expect(try await reads([.link("v", .validate, to: ["t"])]) == plain + 2, "the count and the target")
        #expect(
            try await reads((0..<100).map { .link("d\($0)", .deleteSelf, to: ["t"]) }) == plain + 1,
            "all of a batch at once")
        #expect(
            try await reads([.remove("n")]) == plain + 2, "the record; nobody refers to it, which its count tells")
    }
}

/// Counts the reads of write transactions.
private struct ReadCountingStore: CloudStore {
    let base: MemoryStore
    let reads = Lock(0)

    init(_ base: MemoryStore) { self.base = base }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition, body)
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition) { try body(ReadCountingTransaction(base: $0, reads: reads)) }
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}

private struct ReadCountingTransaction: WriteTransaction {
    let base: any WriteTransaction
    let reads: Lock<Int>

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        reads.withLock { $0 += 1 }
        return try base.get(keys)
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        reads.withLock { $0 += 1 }
        return try base.entries(in: range, limit: limit, reverse: reverse)
    }

    func set(_ key: Key, _ value: [UInt8]) { base.set(key, value) }
    func clear(_ key: Key) { base.clear(key) }
    func clear(_ range: KeyRange) { base.clear(range) }
}
