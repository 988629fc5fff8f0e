import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct ModifyTests {
    /// The records of a few operations are made in the transaction, those of many before.
    @Test(arguments: [RecordDrafting.leastOperations - 1, RecordDrafting.leastOperations], [nil, "Z"] as [String?])
    func fewCreatesAndManyComeToTheSame(count: Int, zone: String?) async throws {
        let cloud = try await TestCloud()
        if let zone { try await cloud.makeZone(zone) }
        _ = try await cloud.modify([.make(.create, "r0", ["n": .integer(0)])], zone: zone)
        var operations = (0..<count).map { number in
            RecordOperation.make(.create, "r\(number)", ["n": .integer(Int64(number))])
        }
        operations[1] = .make(.create, "r1", ["n": .text("none")])
        let results = try await cloud.modify(operations, zone: zone, atomic: false)
        #expect(results[0].error?.code == .exists)
        #expect(results[1].error?.code == .badRequest)
        let saved = results.compactMap(\.saved)
        #expect(saved.map(\.recordName) == (2..<count).map { "r\($0)" })
        let query = Query(
            recordType: "Note", filters: [Filter(.greaterThan, .named("n"), FieldInput(.integer(0)))],
            sorts: [Sort(.named("n"))])
        let page = try await cloud.service.queryRecords(
            QueryRecordsRequest(query: query, zoneID: zone.map { ZoneID(zoneName: $0) }), in: .private,
            as: cloud.user())
        #expect(page.records.map(\.recordName) == saved.map(\.recordName))
        #expect(page.records.map(\.recordChangeTag) == saved.map(\.recordChangeTag))
        #expect(try await cloud.service.usage(of: .private, as: cloud.user()).records == Int64(count - 1))
    }

    /// The sign of kelvins equals the letter K, as texts; names of fields are ASCII.
    @Test func namesThatEqualThoseOfFieldsAreNotTheirs() async throws {
        let cloud = try await TestCloud()
        #expect(try await cloud.modify([.make(.create, "r", ["Key": .integer(1)])])[0].saved != nil)
        let error = try await cloud.modify([.make(.create, "s", ["\u{212A}ey": .integer(1)])])[0].error
        #expect(error?.code == .badRequest && error?.reason.contains("ASCII letters") == true)
        #expect(try await cloud.modify([.make(.create, "t", ["Key": .integer(1)])])[0].saved?.fields.count == 1)
    }

    @Test(arguments: Engine.allCases)
    func modificationTimesGrowThoughTheClockStands(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        var record = try #require(try await cloud.modify([.make(.create, "r", ["a": .integer(1)])])[0].saved)
        for value in 2...5 {
            let next = try #require(
                try await cloud.modify([
                    .make(.update, "r", tag: record.recordChangeTag, ["a": .integer(Int64(value))])
                ])[0].saved)
            #expect(next.modified.timestamp > record.modified.timestamp)
            #expect(next.created == record.created)
            #expect(next.recordChangeTag != record.recordChangeTag)
            record = next
        }
        // Back in time: still later than before.
        cloud.clock.withLock { $0 -= 86_400_000 }
        let last = try await cloud.modify([.make(.forceUpdate, "r", ["a": .integer(9)])])[0].saved
        #expect(try #require(last).modified.timestamp > record.modified.timestamp)
    }

    @Test(arguments: Engine.allCases)
    func ofManyWritersOneWinsPerTag(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        var tag = try #require(try await cloud.modify([.make(.create, "r", ["n": .integer(0)])])[0].saved)
            .recordChangeTag
        for _ in 0..<10 {
            let base = tag
            let results = try await withThrowingTaskGroup(of: RecordResult.self) { group in
                for writer in 0..<64 {
                    group.addTask {
                        try await cloud.modify([.make(.update, "r", tag: base, ["n": .integer(Int64(writer))])])[0]
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let winners = results.compactMap(\.saved)
            #expect(winners.count == 1)
            tag = try #require(winners.first).recordChangeTag
            for error in results.compactMap(\.error) {
                #expect(error.code == .conflict)
                #expect(error.serverRecord?.value.recordChangeTag == tag, "losers see the winner")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func aFailedBatchLeavesNoTraceNotEvenInTheSchema(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "there", ["a": .integer(1)])], zone: "Z")
        let before = try await cloud.service.schemaText(of: cloud.context)
        let results = try await cloud.modify(
            [
                .make(.create, "new", ["fresh": .text("x")]), .make(.create, "there", ["a": .integer(2)]),
                .make(.forceDelete, "there", type: nil),
            ].dropLast().map { $0 }, zone: "Z")
        #expect(results.map { $0.error?.code } == [.atomicError, .exists])
        #expect(try await cloud.service.schemaText(of: cloud.context) == before)
        #expect(try await cloud.lookup(["new"], zone: "Z")[0].error?.code == .notFound)
        #expect(try await cloud.lookup(["there"], zone: "Z")[0].saved?.fields["a"]?.value == .scalar(.int64(1)))
    }

    @Test(arguments: CloudEnvironment.allCases)
    func nobodyGivesThemselvesRoles(environment: CloudEnvironment) async throws {
        let cloud = try await TestCloud(environment: environment)
        try await cloud.service.createAccount(email: "ada@example.org", password: "a long password")
        let name = try await cloud.service.userRecordName(email: "ada@example.org", in: cloud.context)
        let ada = Caller(context: cloud.context, principal: .user(name))
        let operation = RecordOperation.make(.forceUpdate, name, type: "Users", ["roles": .list([.integer(1)])])
        for scope in [DatabaseScope.public, .private] {
            #expect(try await cloud.modify([operation], in: scope, as: ada)[0].error?.code == .accessDenied)
        }
        let administrator = Caller(context: cloud.context, principal: .administrator(actingAs: nil))
        let given = try await cloud.modify([operation], in: .public, as: administrator)[0].saved
        #expect(given?.fields["roles"]?.value == .list(of: .int64, elements: [.int64(1)]))
    }

    @Test func aSaveThatTheDiskRefusesIsRefused() async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store)
        _ = try await cloud.modify([.make(.create, "r", ["a": .integer(1)])])
        store.failNextCommit(with: StoreError(.diskFull, "no room in /data"))
        let error = await #expect(throws: CloudError.self) {
            try await cloud.modify([.make(.forceUpdate, "r", ["a": .integer(2)])])
        }
        #expect(error?.code == .tryAgainLater)
        #expect(error?.reason.contains("/data") == false, "the operator is told where, the caller is not")
        #expect(cloud.reports.withLock { $0 } == ["no room in /data"])
        #expect(try await cloud.lookup(["r"])[0].saved?.fields["a"]?.value == .scalar(.int64(1)))
    }

    @Test(arguments: Engine.allCases)
    func enginesAgreeOnRandomHistories(engine: Engine) async throws {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        var model = RecordModel()
        for _ in 0..<200 {
            let zone: String? = Bool.random(using: &random) ? "Z" : nil
            var names = ["a", "b", "c", "d", "e"].shuffled(using: &random)
            let operations = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                model.randomOperation(named: names.removeLast(), in: zone, using: &random)
            }
            let atomic: Bool? = zone == nil ? nil : Bool.random(using: &random)
            let expected = model.apply(operations, in: zone, atomic: atomic ?? (zone != nil))
            let results = try await cloud.modify(operations, zone: zone, atomic: atomic)
            #expect(results.map(RecordModel.Outcome.init) == expected, "seed \(seed)")
            model.learn(results, in: zone)
        }
        for zone in [nil, "Z"] {
            for name in ["a", "b", "c", "d", "e"] {
                let found = try await cloud.lookup([name], zone: zone)[0].saved
                #expect(
                    found?.fields == model.records[RecordModel.Name(zone: zone, name: name)]?.fields, "seed \(seed)")
            }
        }
    }
}
