import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import StratusWorkers
import Testing

@testable import StratusCloudService

/// Indexes that are new on fields that records had before.
@Suite struct IndexBuildTests {
    private static let plain = """
        DEFINE SCHEMA RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, text STRING, count INT64 QUERYABLE, tags LIST<STRING>, place LOCATION,
            seal BYTES, seals LIST<BYTES>, secret ENCRYPTED BYTES
        );
        """
    private static let indexed = """
        DEFINE SCHEMA RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP QUERYABLE SORTABLE,
            text STRING QUERYABLE SEARCHABLE SORTABLE, count INT64 QUERYABLE SORTABLE, tags LIST<STRING> QUERYABLE,
            place LOCATION QUERYABLE, seal BYTES QUERYABLE SORTABLE, seals LIST<BYTES> QUERYABLE, secret ENCRYPTED BYTES
        );
        """

    private static func fields(_ number: Int) -> KeyValuePairs<String, InputValue> {
        [
            "text": .text("word\(number % 7) same"), "count": .integer(Int64(number)),
            "tags": .list([.text("t\(number % 3)")]),
            "seal": .scalar(.bytes(Array(repeating: UInt8(number % 5), count: number))),
            "seals": .list([.scalar(.bytes([UInt8(number % 2)])), .scalar(.bytes([]))]),
        ]
    }

    private static func operations(_ numbers: Range<Int>) -> [RecordOperation] {
        numbers.map { .make(.forceReplace, "r\($0)", fields($0)) }
    }

    private func words(_ cloud: TestCloud, zone: String? = nil) async throws -> [String] {
        let query = QueryRecordsRequest(
            query: Query(
                recordType: "Note", filters: [Filter(.containsAllTokens, .named("text"), FieldInput(.text("word3")))]),
            zoneID: zone.map { ZoneID(zoneName: $0) })
        return try await cloud.service.queryRecords(query, in: .private, as: cloud.user()).records.map(\.recordName)
            .sorted()
    }

    /// Every index holds exactly what the records say, and nothing else is there.
    private func expectWhole(
        _ cloud: TestCloud, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let type = try #require(try await cloud.service.schema(of: cloud.context).recordTypes["Note"])
        #expect(!type.isBuilding, sourceLocation: sourceLocation)
        for partition in try await cloud.service.databases(of: cloud.context) {
            try await cloud.store.read(partition) { transaction in
                var expected: Set<Key> = []
                for (_, header) in try CloudService.allZones(in: transaction) {
                    let scan = TypeScan(recordType: "Note", zone: header.number)
                    for record in try scan.page(from: nil, limit: 10_000, in: transaction).records {
                        for entry in try IndexMaintenance.entries(of: record, in: type, zone: header.number) {
                            expected.insert(entry.key)
                        }
                    }
                }
                let all = KeyRange(
                    lower: Key([Keyspace.Tag.index.rawValue]), upper: Key([Keyspace.Tag.cell.rawValue + 1]))
                let stored = Set(try transaction.entries(in: all, limit: .max).map(\.key))
                #expect(stored == expected, "in \(partition.name)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func queriesUseAnIndexWhenItIsComplete(_ engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        try await cloud.makeZone("Z")
        for start in stride(from: 0, to: 400, by: 100) {
            _ = try await cloud.modify(Self.operations(start..<start + 100))
            _ = try await cloud.modify(Self.operations(start..<start + 50), zone: "Z")
        }
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        let refused = await #expect(throws: CloudError.self) { try await words(cloud) }
        #expect(refused?.code == .tryAgainLater && refused?.retryAfter == ServiceLimits.indexRetryAfter)
        #expect(refused?.reason.contains("'text'") == true)
        // What was complete before serves on, and saves keep what is not complete yet.
        _ = try await cloud.modify([.make(.forceReplace, "r3", Self.fields(4)), .make(.forceDelete, "r10")])
        let states = try await cloud.service.indexes(of: cloud.context)
        #expect(states.contains { $0.field == "text" && !$0.isComplete })
        #expect(states.contains { $0.field == "count" && $0.kinds == ["QUERYABLE", "SORTABLE"] && $0.isComplete })
        try await cloud.service.buildIndexes()
        let expected = (0..<400).filter { $0 % 7 == 3 && $0 != 3 && $0 != 10 }.map { "r\($0)" }.sorted()
        #expect(try await words(cloud) == expected)
        #expect(try await words(cloud, zone: "Z").count == (0..<400).filter { $0 % 100 < 50 && $0 % 7 == 3 }.count)
        #expect(try await cloud.service.indexes(of: cloud.context).allSatisfy(\.isComplete))
        try await expectWhole(cloud)
        // Away and back again: under another number, without what the former left.
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        _ = try await cloud.modify(Self.operations(0..<100))
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        try await cloud.service.buildIndexes()
        try await expectWhole(cloud)
        #expect(try await cloud.service.schema(of: cloud.context).droppedIndexes.isEmpty)
        await cloud.store.close()
    }

    @Test("A step takes as many records as there is room for their entries, and one at least")
    func steps() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        // Short texts, then two with more words than a step has room for, and long ones.
        let limit = ServiceLimits.indexEntriesPerStep
        let counts = Array(repeating: 1, count: 120) + [limit + 500, limit + 500]
        let long = Array(repeating: 100, count: 40)
        for (number, words) in (counts + long).enumerated() {
            let text = (0..<words).map { "word\($0)" }.joined(separator: " ")
            let results = try await cloud.modify([
                .make(.create, "r\(1_000 + number)", ["text": .text(text), "count": .integer(1)])
            ])
            #expect(results.first?.saved != nil)
        }
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        let type = try #require(try await cloud.service.schema(of: cloud.context).recordTypes["Note"])
        let step = IndexBuildStep(type: type, zone: .default, pace: .full)
        var steps: [IndexBuildStep.Outcome] = []
        repeat {
            let (from, limit) = (steps.last?.next, steps.last?.room ?? ServiceLimits.indexedRecordsPerStep)
            let outcome = try await cloud.store.read(cloud.database) { transaction in
                try step.prepare(from: from, limit: limit, in: transaction)
            }
            #expect(!outcome.records.isEmpty)
            steps.append(outcome)
        } while steps.last?.next != nil
        #expect(steps.map(\.records.count).reduce(0, +) == counts.count + long.count, "each record is taken once")
        // What is written beyond the limit is the last record's.
        #expect(
            steps.filter { $0.entries >= limit + 110 }.count == 2 && steps.allSatisfy { $0.entries < limit + 1_600 })
        #expect(steps.map(\.room).max() == ServiceLimits.indexedRecordsPerStep && steps.map(\.room).min() == 1)
        try await cloud.service.buildIndexes()
        try await expectWhole(cloud)
    }

    @Test("What changes after its entries were made and before they are written has those of what it is then")
    func changesWithinAStep() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        _ = try await cloud.modify(Self.operations(0..<20))
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        let type = try #require(try await cloud.service.schema(of: cloud.context).recordTypes["Note"])
        let step = IndexBuildStep(type: type, zone: .default, pace: .full)
        let prepared = try await cloud.store.read(cloud.database) { try step.prepare(from: nil, limit: 100, in: $0) }
        #expect(prepared.records.count == 20 && prepared.next == nil)
        // Of the first only the version changes, so that its save writes no entry.
        _ = try await cloud.modify([
            .make(.forceReplace, "r1", Self.fields(1)), .make(.forceReplace, "r2", Self.fields(9)),
            .make(.forceDelete, "r3"), .make(.forceDelete, "r4"),
        ])
        _ = try await cloud.modify([.make(.create, "r4", type: "Other", ["count": .integer(4)])])
        try await cloud.store.write(cloud.database) { try step.write(prepared.records, in: $0) }
        // With the other type go the entries of that; what a build wrote for it would stay.
        _ = try await cloud.modify([.make(.forceDelete, "r4")])
        _ = try await cloud.service.schemas.change(cloud.context) { schema, _ in
            schema.finishBuilding(Set(type.buildingFields.map(\.index.number)), of: "Note")
        }
        try await expectWhole(cloud)
    }

    @Test("What is saved, changed and deleted while an index is built is in it as it is in the end", arguments: 0..<4)
    func concurrentSaves(_ round: Int) async throws {
        let seed = Seed.draw()
        print("IndexBuildTests seed: \(seed)")
        let cloud = try await TestCloud(round % 2 == 0 ? .memory : .leveldb)
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        for start in stride(from: 0, to: 1_000, by: 100) {
            _ = try await cloud.modify(Self.operations(start..<start + 100))
        }
        try await withThrowingTaskGroup { group in
            for writer in 0..<3 {
                group.addTask {
                    var generator = SeededRandom(seed: seed &+ UInt64(writer))
                    for _ in 0..<60 {
                        let name = "r\(Int.random(in: 0..<1_100, using: &generator))"
                        let number = Int.random(in: 0..<1_000, using: &generator)
                        let operation: RecordOperation =
                            generator.chance(30)
                            ? .make(.forceDelete, name) : .make(.forceReplace, name, Self.fields(number))
                        _ = try await cloud.modify([operation])
                    }
                }
            }
            group.addTask {
                for text in [Self.indexed, Self.plain, Self.indexed] {
                    _ = try await cloud.service.importSchema(text, to: cloud.context)
                    try await cloud.service.buildIndexes()
                }
            }
            try await group.waitForAll()
        }
        try await cloud.service.buildIndexes()
        try await expectWhole(cloud)
        await cloud.store.close()
    }

    @Test func aBuildGoesOnWhereItWas() async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store)
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        for start in stride(from: 0, to: 1_000, by: 200) {
            _ = try await cloud.modify(Self.operations(start..<start + 200))
        }
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        // Cancelled on its way, as when a server stops; this store runs everything in the task of the caller.
        let steps = Lock(0)
        store.observeCommits { commit in
            guard commit.partition.databaseContext != nil else { return }
            let step = steps.withLock { count in
                count += 1
                return count
            }
            if step == 3 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        try await Task { try await cloud.service.buildIndexes() }.value
        store.observeCommits(nil)
        let next = try await TestCloud(restarting: cloud)
        let stored: IndexBuildProgress? = try await store.read(.context(cloud.context)) {
            try $0.value(at: IndexBuildProgress.key("Note"))
        }
        let before = try #require(stored).records
        #expect(before > 0 && before < 1_000)
        try await next.service.buildIndexes()
        #expect(next.service.indexBuildFigures.indexedRecords == 1_000 - before, "what was done is not done again")
        try await expectWhole(next)
    }

    @Test("Threat 56: a failure at any commit of an import and its builds leaves what the next run finishes")
    func failures() async throws {
        for commits in 0..<14 {
            for isAfterCommit in [false, true] {
                let store = MemoryStore()
                let cloud = try await TestCloud(store: store)
                _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
                for start in stride(from: 0, to: 300, by: 100) {
                    _ = try await cloud.modify(Self.operations(start..<start + 100))
                }
                let count = Lock(0)
                @Sendable func failIfDue() {
                    if count.withLock({ $0 == commits }) {
                        store.failNextCommit(with: StoreError(.ioFailure, "injected"), afterCommit: isAfterCommit)
                    }
                }
                failIfDue()
                store.observeCommits { _ in
                    count.withLock { $0 += 1 }
                    failIfDue()
                }
                do {
                    _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
                    try await cloud.service.buildIndexes()
                } catch {
                    #expect(error.code == .tryAgainLater, "\(error)")
                }
                store.observeCommits(nil)
                // What was to fail and found nothing to fail fails here.
                _ = try? await store.write(Partition("nothing")) { $0.set(Key([1]), [UInt8]()) }
                let next = try await TestCloud(restarting: cloud)
                _ = try await next.service.importSchema(Self.indexed, to: next.context)
                try await next.service.buildIndexes()
                try await expectWhole(next)
                let expected = (0..<300).filter { $0 % 7 == 3 }.count
                #expect(try await words(next).count == expected, "\(commits) \(isAfterCommit)")
            }
        }
    }

    @Test("A query that was asked by a schema that changed meanwhile is answered by the new one; its markers end")
    func markers() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        _ = try await cloud.modify(Self.operations(0..<100))
        func page(_ marker: String?) async throws -> QueryRecordsPage {
            var request = QueryRecordsRequest(
                query: Query(
                    recordType: "Note", filters: [Filter(.equals, .named("text"), FieldInput(.text("word1 same")))]))
            request.resultsLimit = 2
            request.continuationMarker = marker
            return try await cloud.service.queryRecords(request, in: .private, as: cloud.user())
        }
        let marker = try #require(try await page(nil).continuationMarker)
        _ = try await cloud.service.importSchema(Self.plain, to: cloud.context)
        _ = try await cloud.service.importSchema(Self.indexed, to: cloud.context)
        try await cloud.service.buildIndexes()
        let refused = await #expect(throws: CloudError.self) { try await page(marker) }
        #expect(refused?.code == .badRequest)
        #expect(try await page(nil).records.count == 2)
    }
}
