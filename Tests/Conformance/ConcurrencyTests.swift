import StratusTestSupport
import Testing

/// Many clients at once, and what must hold whoever comes first (threats 60 and 61).
@Suite("Concurrency")
struct ConcurrencyTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Concurrency")
        database = tenant.privateDatabase
    }

    /// Runs `body` for 0 to `count` - 1 at the same time and gives all results.
    private func atOnce<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for index in 0..<count { group.addTask { try await body(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("A field that many make at once, with two types, has one of them", arguments: ["private", "public"])
    func fieldRace(scope: String) async throws {
        let database = tenant.database(scope, tenant.credential(of: tenant.alice))
        let type = Unique.name("Raced")
        let items = try await atOnce(24) { index in
            let value: JSON = index % 2 == 0 ? .int(index) : "text"
            let change = Change.create(type, Unique.name("r"), Fields.untyped(["f": value]))
            return try await database.modify([change]).records.first ?? .absent
        }
        let saved = items.filter { $0["serverErrorCode"] == .absent }
        #expect(Set(saved.map { $0["fields"]["f"]["type"] }).count == 1)
        #expect(saved.count == 12)
        for item in items where item["serverErrorCode"].isPresent { expectFailed(item, "BAD_REQUEST", "'f'") }
        let found = try await database.queryAll(type, sorts: [Condition.sort("f")])
        #expect(Set(found.map(\.name)) == Set(saved.map(\.name)))
    }

    @Test("Of many creates of one record exactly one succeeds, the others get its record")
    func createRace() async throws {
        let (database, name) = (database, Unique.name("r"))
        let items = try await atOnce(24) { index in
            let change = Change.create("Note", name, Fields.untyped(["a": .int(index)]))
            return try await database.modify([change]).records.first ?? .absent
        }
        let winners = items.filter { $0["serverErrorCode"] == .absent }
        #expect(winners.count == 1)
        for item in items where item["serverErrorCode"].isPresent {
            expectFailed(item, "EXISTS")
            #expect(item["serverRecord"].tag == winners.first?.tag)
        }
    }

    @Test("A counter that many raise by update and retry counts every success")
    func counter() async throws {
        let database = database
        let record = try await database.save(Change.create("Note", Unique.name("r"), Fields.untyped(["a": 0])))
        _ = try await atOnce(8) { _ in
            var known = record
            var raised = 0
            while raised < 5 {
                let next = (known.value("a").int ?? 0) + 1
                let change = Change.update(known, Fields.untyped(["a": .int(next)]))
                let item = try await database.modify([change]).records.first ?? .absent
                if item["serverErrorCode"] == .absent { raised += 1 } else { expectFailed(item, "CONFLICT") }
                known = item["serverRecord"].isPresent ? item["serverRecord"] : item
            }
        }
        #expect(try await database.find(record.name).value("a") == 40)
    }

    @Test("Saves into a zone that comes and goes leave nothing behind")
    func vanishingZone() async throws {
        let (database, zone, type) = (database, try await database.makeZone(), Unique.name("Zoned"))
        _ = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["a": 0])), zone: zone)
        _ = try await atOnce(8) { index in
            for round in 0..<10 {
                if index == 0 {
                    _ = try await database.zone(round % 2 == 0 ? "delete" : "create", zone)
                } else {
                    let changes = (0..<3).map { _ in
                        Change.create(type, Unique.name("r"), Fields.untyped(["a": .int(index)]))
                    }
                    let answer = try await database.modify(changes, zone: zone)
                    let codes = Set(answer.records.map { $0["serverErrorCode"].string })
                    #expect(codes == [nil] || codes == ["ZONE_NOT_FOUND"], "\(answer)")
                }
            }
        }
        _ = try await database.zone("delete", zone)
        _ = try await database.zone("create", zone)
        #expect(try await database.queryAll(type, zone: zone) == [])
        #expect(try await database.queryAll(type, ["zoneWide": true]) == [])
    }

    @Test("An index agrees with its records while they change", arguments: [0, 1])
    func indexUnderWrites(round: Int) async throws {
        let (database, type) = (database, Unique.name("Indexed"))
        let names = (0..<10).map { _ in Unique.name("r") }
        _ = try await database.modify(names.map { Change.create(type, $0, Fields.untyped(["a": 0])) })
        _ = try await atOnce(6) { index in
            for step in 1...20 {
                if index < 4 {
                    let name = names[(step * 7 + index * 3) % names.count]
                    let change =
                        step % 5 == 0
                        ? Change.forceDelete(name) : Change.forceUpdate(type, name, Fields.untyped(["a": .int(step)]))
                    _ = try await database.modify([change])
                } else {
                    let found = try await database.queryAll(
                        type, filters: [Condition.filter("a", "EQUALS", .int(step))])
                    for record in found { #expect(record.value("a") == .int(step)) }
                    #expect(Set(found.map(\.name)).count == found.count)
                }
            }
        }
        let live = try await database.lookup(names).records.filter { $0["serverErrorCode"] == .absent }
        let found = try await database.queryAll(type, sorts: [Condition.sort("a")])
        #expect(Set(found) == Set(live))
    }
}
