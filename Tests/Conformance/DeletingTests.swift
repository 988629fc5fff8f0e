import StratusTestSupport
import Testing

/// Deleting records.
@Suite("Deleting")
struct DeletingTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Deleting")
        database = tenant.privateDatabase
    }

    @Test("Case 42: a deleted record is gone from lookups and queries", arguments: ["delete", "forceDelete"])
    func case42(kind: String) async throws {
        let type = Unique.name("Gone")
        let record = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["a": 1])))
        let answer = try await database.modify([Change.make(kind, record.name, tag: record.tag)])
        expectDeleted(answer.records.first ?? .absent, record.name)
        try await expectAbsent(record.name, in: database)
        #expect(try await database.queryAll(type) == [])
        #expect(try await database.queryAll(type, filters: [Condition.filter("a", "EQUALS", 1)]) == [])
    }

    @Test("Case 43: forceDelete of what never was succeeds; delete does not")
    func case43() async throws {
        let name = Unique.name("r")
        let forced = try await database.modify([Change.forceDelete(name)])
        expectDeleted(forced.records.first ?? .absent, name)
        let plain = try await database.modify([Change.make("delete", name, tag: "1e")])
        expectFailed(plain.records.first ?? .absent, "NOT_FOUND")
    }

    @Test("Case 44: deletions in an unknown zone fail one by one")
    func case44() async throws {
        let zone = Unique.name("Zone")
        let answer = try await database.modify(
            [Change.forceDelete(Unique.name("r")), Change.make("delete", Unique.name("r"), tag: "1e")], zone: zone)
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.records.count == 2)
        for item in answer.records { expectFailed(item, "ZONE_NOT_FOUND", zone) }
    }

    @Test("Case 45: a delete with a stale tag conflicts; forceDelete succeeds")
    func case45() async throws {
        let old = try await database.save(Change.create("Note", Unique.name("r"), Fields.untyped(["a": 1])))
        let current = try await database.save(Change.update(old, Fields.untyped(["a": 2])))
        let stale = try await database.modify([Change.delete(old)])
        expectFailed(stale.records.first ?? .absent, "CONFLICT")
        try await expectUnchanged(current, in: database)
        let forced = try await database.modify([Change.make("forceDelete", old.name, tag: old.tag)])
        expectDeleted(forced.records.first ?? .absent, old.name)
        try await expectAbsent(old.name, in: database)
    }

    @Test("A deletion empties only its own zone's record of that name")
    func sameNameElsewhere() async throws {
        let (first, second) = (try await database.makeZone(), try await database.makeZone())
        let name = Unique.name("r")
        let kept = try await database.save(Change.create("Note", name), zone: first)
        _ = try await database.save(Change.create("Note", name), zone: second)
        expectDeleted(try await database.modify([Change.forceDelete(name)], zone: second).records[0], name)
        try await expectUnchanged(kept, in: database, zone: first)
        try await expectAbsent(name, in: database, zone: second)
        try await expectAbsent(name, in: database)
    }
}
