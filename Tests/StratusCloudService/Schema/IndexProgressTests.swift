import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// How far the building of indexes is, as developers are told.
@Suite struct IndexProgressTests {
    /// A store that lets a test look around before each transaction that writes.
    private struct AttendedStore: CloudStore {
        let base = MemoryStore()
        let attend = Lock<(@Sendable (Partition) async throws -> Void)?>(nil)
        /// Transactions that read, by partition.
        let reads = Lock<[Partition: Int]>([:])

        func read<Result: Sendable>(
            _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
        ) async throws -> Result {
            reads.withLock { $0[partition, default: 0] += 1 }
            return try await base.read(partition, body)
        }

        func write<Result: Sendable>(
            _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
        ) async throws -> Result {
            let attend = attend.withLock { $0 }
            try await attend?(partition)
            return try await base.write(partition, body)
        }

        func partitions() async throws -> [Partition] { try await base.partitions() }
        func statistics() -> StoreStatistics { base.statistics() }
        func close() async { await base.close() }
    }

    private static func schema(_ indexes: String) -> String {
        "DEFINE SCHEMA RECORD TYPE Note (count INT64 \(indexes)); RECORD TYPE Other (count INT64 \(indexes));"
    }

    private static func notes(_ names: Range<Int>, _ prefix: String, type: String = "Note") -> [RecordOperation] {
        names.map { .make(.forceReplace, "\(prefix)\($0 + 1_000)", type: type, ["count": .integer(Int64($0))]) }
    }

    @Test func aBuildTellsOfHowManyRecords() async throws {
        let store = AttendedStore()
        let cloud = try await TestCloud(store: store)
        _ = try await cloud.service.importSchema(Self.schema(""), to: cloud.context)
        try await cloud.makeZone("Z")
        for start in [0, 125] { _ = try await cloud.modify(Self.notes(start..<start + 125, "n")) }
        _ = try await cloud.modify(Self.notes(0..<50, "n"), zone: "Z")
        _ = try await cloud.modify(Self.notes(0..<30, "n"), as: cloud.user("b"))
        _ = try await cloud.modify(Self.notes(0..<20, "n", type: "Other"))
        _ = try await cloud.service.importSchema(Self.schema("QUERYABLE"), to: cloud.context)
        #expect(try await cloud.service.indexes(of: cloud.context).allSatisfy { $0.totalRecords == nil })

        let seen = Lock<[[UInt64?]]>([])
        let waiting = Lock<Set<UInt64?>>([])
        store.attend.withLock { attend in
            attend = { partition in
                guard partition.databaseContext != nil else { return }
                let states = try await cloud.service.indexes(of: cloud.context)
                let state = try #require(states.first { $0.recordType == "Note" && $0.field == "count" })
                let other = try #require(states.first { $0.recordType == "Other" && $0.field == "count" })
                if !state.isComplete {
                    seen.withLock { $0.append([state.indexedRecords, state.totalRecords]) }
                    waiting.withLock { _ = $0.insert(other.totalRecords) }
                }
            }
        }
        try await cloud.service.buildIndexes()
        store.attend.withLock { $0 = nil }
        let states = seen.withLock { $0 }
        // Before each step of the two databases and their zones; one step is 100 records.
        #expect(states.allSatisfy { $0[1] == 330 }, "\(states)")
        let done = states.compactMap { $0[0] }
        #expect(done == done.sorted() && Set(done).isSuperset(of: [0, 100, 200, 250, 300]), "\(states)")
        #expect(waiting.withLock { $0 } == [nil], "what waits has no progress")
        #expect(
            try await cloud.service.indexes(of: cloud.context).allSatisfy {
                $0.isComplete && $0.indexedRecords == nil && $0.totalRecords == nil
            })
    }

    /// What comes while it builds is taken up, too, and never makes it more than all.
    @Test func recordsThatComeMeanwhileCount() async throws {
        let store = AttendedStore()
        let cloud = try await TestCloud(store: store)
        _ = try await cloud.service.importSchema(Self.schema(""), to: cloud.context)
        _ = try await cloud.modify(Self.notes(0..<150, "m"))
        _ = try await cloud.modify(Self.notes(0..<60, "n"))
        _ = try await cloud.service.importSchema(Self.schema("QUERYABLE"), to: cloud.context)
        let seen = Lock<[[UInt64?]]>([])
        let hasSaved = Lock(false)
        store.attend.withLock { attend in
            attend = { partition in
                guard partition.databaseContext != nil else { return }
                let states = try await cloud.service.indexes(of: cloud.context)
                guard let state = states.first(where: { $0.recordType == "Note" && $0.field == "count" }),
                    !state.isComplete, let done = state.indexedRecords
                else { return }
                seen.withLock { $0.append([done, state.totalRecords]) }
                let isFirst = hasSaved.withLock { saved in
                    defer { saved = saved || done >= 100 }
                    return !saved && done >= 100
                }
                if isFirst { _ = try await cloud.modify(Self.notes(0..<150, "z")) }
            }
        }
        try await cloud.service.buildIndexes()
        store.attend.withLock { $0 = nil }
        let states = seen.withLock { $0 }
        #expect(states.contains([100, 210]) && states.contains([300, 300]), "\(states)")
    }

    /// No step of it is longer than its limit, and none keeps a save waiting: it only reads.
    @Test(arguments: [(999, 1), (1_000, 2), (1_001, 2), (2_001, 3)])
    func recordsAreCountedInBoundedSteps(records: Int, steps: Int) async throws {
        #expect(ServiceLimits.countedRecordsPerStep == 1_000)
        let store = AttendedStore()
        let cloud = try await TestCloud(store: store)
        _ = try await cloud.service.importSchema(Self.schema(""), to: cloud.context)
        for start in stride(from: 0, to: records, by: 200) {
            _ = try await cloud.modify(Self.notes(start..<min(start + 200, records), "n"))
        }
        _ = try await cloud.modify(Self.notes(0..<20, "o", type: "Other"))
        store.reads.withLock { $0 = [:] }
        let writes = Lock(0)
        store.attend.withLock { $0 = { if $0.databaseContext != nil { writes.withLock { $0 += 1 } } } }
        #expect(try await cloud.service.countRecords(of: "Note", in: cloud.context) == records)
        // One more looks which zones there are.
        #expect(store.reads.withLock { $0[cloud.database] } == steps + 1)
        #expect(writes.withLock { $0 } == 0)
        // Where nobody waits for the number any more, it ends after a step.
        store.reads.withLock { $0 = [:] }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cloud.service.countRecords(of: "Note", in: cloud.context)
        }
        _ = try await task.value
        #expect(store.reads.withLock { $0[cloud.database] } == 2)
    }

    @Test func whatEarlierVersionsNotedIsRead() throws {
        var progress = IndexBuildProgress(recordType: "Note", numbers: [IndexNumber(rawValue: 7)])
        progress.database = "a"
        progress.records = 12_345
        var former = progress.stored
        former[0] = 1
        former.removeLast()
        #expect(try IndexBuildProgress(stored: former) == progress)
        progress.total = 20_000
        #expect(try IndexBuildProgress(stored: progress.stored) == progress)
    }
}
