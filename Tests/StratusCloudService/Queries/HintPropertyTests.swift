import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Queries find records where index entries have them to lie, which updates do not correct: random histories of saves,
/// deletions and zones that go and come again, against a model that only knows what was saved last.
@Suite struct HintPropertyTests {
    private struct Model {
        var values: [String: Int64] = [:]
        var tags: [String: String] = [:]
    }

    private static let names = (0..<12).map { "n\($0)" }

    @Test(arguments: Engine.allCases, [Seed.draw(), 1])
    func queriesAnswerThePresentState(engine: Engine, seed: UInt64) async throws {
        print("HintPropertyTests seed: \(seed)")
        var random = SeededRandom(seed: seed)
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        // In development, types and indexes come with the first save.
        _ = try await cloud.modify([note("first", 0, 0)], zone: "Z")
        _ = try await cloud.modify([.make(.forceDelete, "first")], zone: "Z")
        var models: [String?: Model] = [nil: Model(), "Z": Model()]
        for _ in 0..<(engine == .memory ? 400 : 120) {
            let zone = random.chance(60) ? "Z" : nil
            switch Int.random(in: 0..<100, using: &random) {
            case ..<70: try await save(cloud, zone, &models, &random)
            case ..<85: try await delete(cloud, zone, &models, &random)
            case ..<89:
                try await cloud.deleteZone("Z")
                try await cloud.makeZone("Z")
                models["Z"] = Model()
            default: try await check(cloud, zone, try #require(models[zone]), &random)
            }
        }
        for zone in [nil, "Z"] { try await check(cloud, zone, try #require(models[zone]), &random) }
    }

    /// `group` hardly ever changes, so that its entries keep the hints of long ago.
    private func note(_ name: String, _ group: Int64, _ value: Int64) -> RecordOperation {
        .make(.forceReplace, name, ["group": .integer(group), "value": .integer(value)])
    }

    private func save(
        _ cloud: TestCloud, _ zone: String?, _ models: inout [String?: Model], _ random: inout SeededRandom
    ) async throws {
        let count = Int.random(in: 1...4, using: &random)
        let names = Self.names.shuffled(using: &random).prefix(count)
        let values = names.map { _ in Int64.random(in: 0..<5, using: &random) }
        let results = try await cloud.modify(
            zip(names, values).map { note($0, $0.utf8.count == 2 ? 1 : 2, $1) }, zone: zone)
        for ((name, value), result) in zip(zip(names, values), results) {
            models[zone]?.values[name] = value
            models[zone]?.tags[name] = try #require(result.saved).recordChangeTag
        }
    }

    private func delete(
        _ cloud: TestCloud, _ zone: String?, _ models: inout [String?: Model], _ random: inout SeededRandom
    ) async throws {
        let name = try #require(Self.names.randomElement(using: &random))
        _ = try await cloud.modify([.make(.forceDelete, name)], zone: zone)
        models[zone]?.values[name] = nil
        models[zone]?.tags[name] = nil
    }

    private func check(
        _ cloud: TestCloud, _ zone: String?, _ model: Model, _ random: inout SeededRandom
    ) async throws {
        let group = Int64.random(in: 1...2, using: &random)
        var query = Query(recordType: "Note", filters: [Filter(.equals, "group", .integer(group))])
        if random.chance(50) { query.sorts = [Sort(.named("value"), ascending: random.chance(50))] }
        if random.chance(20) { query.filters = [] }
        let isAll = query.filters.isEmpty
        var marker: String?
        var found: [Record] = []
        repeat {
            let page = try await cloud.service.queryRecords(
                QueryRecordsRequest(
                    query: query, zoneID: zone.map { ZoneID(zoneName: $0) }, resultsLimit: 5,
                    continuationMarker: marker), in: .private, as: cloud.user())
            found += page.records
            marker = page.continuationMarker
        } while marker != nil
        let wanted = model.values.filter { isAll || ($0.key.utf8.count == 2 ? 1 : 2) == group }
        #expect(Set(found.map(\.recordName)) == Set(wanted.keys) && found.count == wanted.count, "\(query)")
        for record in found {
            #expect(record.recordChangeTag == model.tags[record.recordName], "\(query)")
            #expect(record.fields["value"]?.value == model.values[record.recordName].map { .scalar(.int64($0)) })
        }
        let sorted = found.compactMap { wanted[$0.recordName] }
        if let sort = query.sorts.first { #expect(sorted == sorted.sorted { sort.ascending ? $0 < $1 : $0 > $1 }) }
    }

    @Test("A record is read once where its entries are of its latest save, and looked up by name where they are older")
    func reads() async throws {
        let store = ObservedStore(MemoryStore(), by: AccessMeter())
        let cloud = try await TestCloud(store: store)
        try await cloud.makeZone("Z")
        _ = try await cloud.modify((0..<10).map { note("n\($0)", 1, 1) }, zone: "Z")
        func keys() async throws -> Int {
            try await store.observer.counting {
                let page = try await cloud.service.queryRecords(
                    QueryRecordsRequest(
                        query: Query(recordType: "Note", filters: [Filter(.equals, "group", .integer(1))]),
                        zoneID: ZoneID(zoneName: "Z")), in: .private, as: cloud.user())
                #expect(page.records.count == 10)
            }.keys
        }
        #expect(try await keys() == 1 + 10, "the zone and the records")
        _ = try await cloud.modify((0..<3).map { note("n\($0)", 1, 2) }, zone: "Z")
        #expect(try await keys() == 1 + 10 + 2 * 3)
    }
}
