import StratusTestSupport
import Testing

/// Batches: atomic and not, their order, and paging.
@Suite("Batches")
struct BatchTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Batches")
        database = tenant.privateDatabase
    }

    /// A record that moved on, so that an update with the old tag conflicts.
    private func stale(in zone: String?) async throws -> (old: JSON, current: JSON) {
        let old = try await database.save(Change.create("Note", Unique.name("r"), Fields.untyped(["a": 1])), zone: zone)
        return (old, try await database.save(Change.update(old, Fields.untyped(["a": 2])), zone: zone))
    }

    private func names(_ count: Int) -> [String] { (0..<count).map { _ in Unique.name("r") } }

    @Test("Case 26: one conflict undoes an atomic batch", arguments: [nil, true])
    func case26(atomic: Bool?) async throws {
        let zone = try await database.makeZone()
        let (old, current) = try await stale(in: zone)
        let names = names(3)
        var changes = names.map { Change.create("Note", $0, Fields.untyped(["a": 1])) }
        changes.insert(Change.update(old, Fields.untyped(["a": 3])), at: 1)
        let answer = try await database.modify(changes, zone: zone, atomic: atomic)
        #expect(answer.status == 200, "\(answer)")
        try #require(answer.records.count == 4)
        for (index, item) in answer.records.enumerated() {
            expectFailed(item, index == 1 ? "CONFLICT" : "ATOMIC_ERROR")
            #expect(item["recordName"] == changes[index]["record"]["recordName"])
        }
        for name in names { try await expectAbsent(name, in: database, zone: zone) }
        try await expectUnchanged(current, in: database, zone: zone)
        let stored = try await database.queryAll("Note", zone: zone)
        #expect(stored.map(\.name) == [current.name])
    }

    @Test("Case 27: batches of two zones stand alone")
    func case27() async throws {
        let (first, second) = (try await database.makeZone(), try await database.makeZone())
        let old = try await stale(in: first).old
        let names = names(2)
        let failing = try await database.modify(
            [Change.create("Note", names[0]), Change.update(old, [:])], zone: first, atomic: true)
        let other = try await database.modify([Change.create("Note", names[1])], zone: second, atomic: true)
        expectFailed(failing.records.first ?? .absent, "ATOMIC_ERROR")
        expectSaved(other, count: 1)
        try await expectAbsent(names[0], in: database, zone: first)
    }

    @Test("Case 28: a delete is undone with its batch")
    func case28() async throws {
        let zone = try await database.makeZone()
        let old = try await stale(in: zone).old
        let victim = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        for delete in [Change.delete(victim), Change.forceDelete(victim.name)] {
            let answer = try await database.modify([delete, Change.update(old, [:])], zone: zone)
            expectFailed(answer.records.first ?? .absent, "ATOMIC_ERROR")
            expectFailed(answer.records.last ?? .absent, "CONFLICT")
            try await expectUnchanged(victim, in: database, zone: zone)
        }
    }

    @Test("Case 29: without atomicity only the failing item fails")
    func case29() async throws {
        let zone = try await database.makeZone()
        let (old, current) = try await stale(in: zone)
        let name = Unique.name("r")
        let answer = try await database.modify(
            [Change.update(old, Fields.untyped(["a": 3])), Change.create("Note", name)], zone: zone, atomic: false)
        expectFailed(answer.records.first ?? .absent, "CONFLICT")
        #expect(answer.records.last?["recordChangeTag"].string != nil)
        try await expectUnchanged(answer.records.last ?? .absent, in: database, zone: zone)
        try await expectUnchanged(current, in: database, zone: zone)
    }

    @Test("Case 30: of several failures in an atomic batch each carries its own code")
    func case30() async throws {
        let zone = try await database.makeZone()
        let old = try await stale(in: zone).old
        let names = names(3)
        let changes = [
            Change.make("update", names[0], type: "Note", tag: "1", [:]), Change.create("Note", names[1]),
            Change.update(old, [:]), Change.create("Note", names[2], Fields.untyped(["_f": 1])),
        ]
        let answer = try await database.modify(changes, zone: zone)
        #expect(
            answer.records.map { $0["serverErrorCode"].string } == [
                "NOT_FOUND", "ATOMIC_ERROR", "CONFLICT", "ACCESS_DENIED",
            ], "\(answer)")
        for name in names { try await expectAbsent(name, in: database, zone: zone) }
    }

    @Test("Case 31: in the default zone a batch without 'atomic' is not atomic", arguments: ["private", "public"])
    func case31(scope: String) async throws {
        var database = database
        database.scope = scope
        let names = names(2)
        let changes = [
            Change.create("Note", names[0]), Change.make("update", names[1], type: "Note", tag: "1", [:]),
        ]
        let answer = try await database.modify(changes)
        #expect(answer.records.first?["recordChangeTag"].string != nil, "\(answer)")
        expectFailed(answer.records.last ?? .absent, "NOT_FOUND")
        #expect(try await database.find(names[0])["recordChangeTag"].string != nil)
    }

    @Test("Case 32: an atomic batch in the default zone is refused", arguments: ["private", "public"])
    func case32(scope: String) async throws {
        var database = database
        database.scope = scope
        let name = Unique.name("r")
        for zone in [nil, "_defaultZone"] {
            let answer = try await database.modify([Change.create("Note", name)], zone: zone, atomic: true)
            expectRefused(answer, 400, "BAD_REQUEST", "atomic operations not supported in default zone")
        }
        try await expectAbsent(name, in: database)
    }

    @Test("Case 38: an empty batch succeeds")
    func case38() async throws {
        let answer = try await database.modify([])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.json["records"] == [], "\(answer)")
    }

    @Test("Case 39: one result for each operation, in their order")
    func case39() async throws {
        let kept = try await database.save(Change.create("Note", Unique.name("r")))
        let gone = try await database.save(Change.create("Note", Unique.name("r")))
        let names = names(40)
        var changes = names.map { Change.create("Note", $0) }
        changes.insert(Change.delete(gone), at: 7)
        changes.insert(Change.create("Note", kept.name), at: 21)
        changes.append(Change.update(kept, Fields.untyped(["a": 1])))
        // The same record twice is refused, so the last is another one.
        changes[changes.count - 1]["record"]["recordName"] = .string(Unique.name("r"))
        let answer = try await database.modify(changes)
        #expect(answer.records.count == changes.count)
        for (item, change) in zip(answer.records, changes) {
            #expect(item["recordName"] == change["record"]["recordName"])
        }
        expectDeleted(answer.records[7], gone.name)
        expectFailed(answer.records[21], "EXISTS")
        expectFailed(answer.records[answer.records.count - 1], "NOT_FOUND")
    }

    @Test("A reader never sees a part of an atomic batch")
    func noPartSeen() async throws {
        let zone = try await database.makeZone()
        let names = names(20)
        let initial = names.map { Change.create("Note", $0, Fields.untyped(["a": 0])) }
        expectSaved(try await database.modify(initial, zone: zone), count: 20)
        let database = database
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...30 {
                    let changes = names.map { Change.forceUpdate("Note", $0, Fields.untyped(["a": .int(round)])) }
                    expectSaved(try await database.modify(changes, zone: zone), count: 20)
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<30 {
                        let records = try await database.lookup(names, zone: zone).records
                        #expect(Set(records.map { $0.value("a") }).count == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
