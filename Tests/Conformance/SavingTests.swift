import StratusTestSupport
import Testing

/// Saving records, change tags and conflicts.
@Suite("Saving")
struct SavingTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Saving")
        database = tenant.privateDatabase
    }

    /// A stored record with the fields a = 1 and b = "two".
    private func stored(_ type: String = "Note") async throws -> JSON {
        let fields = Fields.untyped(["a": 1, "b": "two"])
        return try await database.save(Change.create(type, Unique.name("r"), fields))
    }

    private func one(_ change: JSON) async throws -> JSON {
        let answer = try await database.modify([change])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.records.count == 1, "\(answer)")
        return answer.records.first ?? .absent
    }

    @Test("Case 1: a create makes a record with its system fields")
    func case1() async throws {
        let name = Unique.name("r")
        let record = try await one(Change.create("Note", name, Fields.untyped(["a": 1])))
        #expect(record["recordName"].string == name)
        #expect(record["recordType"] == "Note")
        expectComplete(record, by: tenant.alice.userRecordName)
        #expect(record["created"] == record["modified"])
        try await expectUnchanged(record, in: database)
    }

    @Test("Case 1: a create without a name gets one of its own")
    func case1WithoutName() async throws {
        let first = try await one(Change.create("Note"))
        let second = try await one(Change.create("Note"))
        #expect(!first.name.isEmpty && first.name != second.name)
        try await expectUnchanged(first, in: database)
    }

    @Test("Case 2: an update with the current tag succeeds and changes the tag")
    func case2() async throws {
        let old = try await stored()
        let new = try await one(Change.update(old, Fields.untyped(["a": 2])))
        #expect(new.tag != old.tag)
        #expect(new.value("a") == 2)
        #expect(new["created"] == old["created"])
        try await expectUnchanged(new, in: database)
    }

    @Test(
        "Case 3: a stale tag is a conflict that carries the server's record",
        arguments: ["update", "replace", "delete"])
    func case3(kind: String) async throws {
        let old = try await stored()
        let current = try await one(Change.update(old, Fields.untyped(["a": 2])))
        let change = Change.make(
            kind, old.name, type: "Note", tag: old.tag, kind == "delete" ? .absent : Fields.untyped(["a": 3]))
        let item = try await one(change)
        expectFailed(item, "CONFLICT", "client oplock error updating record")
        #expect(item["recordName"] == old["recordName"])
        #expect(item["serverRecord"]["recordChangeTag"].string == current.tag)
        #expect(item["serverRecord"].value("a") == 2)
        try await expectUnchanged(current, in: database)
    }

    @Test("Case 4: a create over an existing record fails with EXISTS and the server's record")
    func case4() async throws {
        let record = try await stored()
        let item = try await one(Change.create("Note", record.name, Fields.untyped(["a": 9])))
        expectFailed(item, "EXISTS", "already exists")
        #expect(item["serverRecord"]["recordChangeTag"].string == record.tag)
        try await expectUnchanged(record, in: database)
    }

    @Test("Case 5: a record deleted meanwhile is not found", arguments: ["update", "replace", "delete"])
    func case5(kind: String) async throws {
        let record = try await stored()
        expectDeleted(try await one(Change.forceDelete(record.name)), record.name)
        let item = try await one(Change.make(kind, record.name, type: "Note", tag: record.tag))
        expectFailed(item, "NOT_FOUND")
        try await expectAbsent(record.name, in: database)
    }

    @Test("Case 6: saved again without a tag after its deletion, a record has a new creation date")
    func case6() async throws {
        let old = try await stored()
        expectDeleted(try await one(Change.delete(old)), old.name)
        let new = try await one(Change.create("Note", old.name, Fields.untyped(["a": 5])))
        #expect(new.tag != old.tag)
        let dates = (old["created"]["timestamp"].int ?? 0, new["created"]["timestamp"].int ?? 0)
        #expect(dates.0 < dates.1, "\(old) \(new)")
        #expect(new.value("b") == .absent)
        try await expectUnchanged(new, in: database)
    }

    @Test("Case 7: forceUpdate changes only what is sent, with a stale tag or none", arguments: [true, false])
    func case7(withTag: Bool) async throws {
        let old = try await stored()
        _ = try await one(Change.update(old, Fields.untyped(["b": "three"])))
        let change = Change.make(
            "forceUpdate", old.name, type: "Note", tag: withTag ? old.tag : nil, Fields.untyped(["a": 7]))
        let new = try await one(change)
        #expect(new.value("a") == 7)
        #expect(new.value("b") == "three")
        try await expectUnchanged(new, in: database)
    }

    @Test("Case 8: forceReplace clears what is not sent")
    func case8() async throws {
        let old = try await stored()
        let new = try await one(Change.forceReplace("Note", old.name, Fields.untyped(["a": 8])))
        #expect(new.value("a") == 8)
        #expect(new["fields"]["b"] == .absent)
        #expect(new["created"] == old["created"])
        try await expectUnchanged(new, in: database)
    }

    @Test("Case 9: forceUpdate and forceReplace create what is absent", arguments: ["forceUpdate", "forceReplace"])
    func case9(kind: String) async throws {
        let name = Unique.name("r")
        let record = try await one(Change.make(kind, name, type: "Note", Fields.untyped(["a": 9])))
        expectComplete(record, by: tenant.alice.userRecordName)
        #expect(record.value("a") == 9)
        try await expectUnchanged(record, in: database)
    }

    @Test(
        "Case 10: update, replace and delete of what never was are not found",
        arguments: ["update", "replace", "delete"])
    func case10(kind: String) async throws {
        let name = Unique.name("r")
        let item = try await one(Change.make(kind, name, type: "Note", tag: "1e", Fields.untyped(["a": 1])))
        expectFailed(item, "NOT_FOUND")
        #expect(item["recordName"].string == name)
        try await expectAbsent(name, in: database)
    }

    @Test("Case 11: update leaves fields that are not sent")
    func case11() async throws {
        let old = try await stored()
        let new = try await one(Change.update(old, Fields.untyped(["a": 11])))
        #expect(new.value("a") == 11)
        #expect(new.value("b") == "two")
    }

    @Test("Case 12: replace clears fields that are not sent")
    func case12() async throws {
        let old = try await stored()
        let new = try await one(Change.replace(old, Fields.untyped(["a": 12])))
        #expect(new.value("a") == 12)
        #expect(new["fields"]["b"] == .absent)
        try await expectUnchanged(new, in: database)
    }

    @Test("Case 13: after a conflict, merging into the server's record succeeds; the client's own conflicts again")
    func case13() async throws {
        let old = try await stored()
        _ = try await one(Change.update(old, Fields.untyped(["a": 2])))
        let conflict = try await one(Change.update(old, Fields.untyped(["b": "mine"])))
        let server = conflict["serverRecord"]
        expectFailed(try await one(Change.update(old, Fields.untyped(["b": "mine"]))), "CONFLICT")
        let merged = try await one(Change.update(server, Fields.untyped(["b": "mine"])))
        #expect(merged.value("a") == 2)
        #expect(merged.value("b") == "mine")
    }

    @Test("Case 14: modification times of quick saves strictly increase")
    func case14() async throws {
        var record = try await stored()
        for value in 1...20 {
            let next = try await one(Change.update(record, Fields.untyped(["a": .int(value)])))
            let times = (record["modified"]["timestamp"].int ?? 0, next["modified"]["timestamp"].int ?? 0)
            #expect(times.0 < times.1)
            record = next
        }
    }

    @Test("Case 16: the same record twice in one request refuses all of it", arguments: [nil, true, false])
    func case16(atomic: Bool?) async throws {
        let zone = try await database.makeZone()
        let (twice, other) = (Unique.name("r"), Unique.name("r"))
        let changes = [
            Change.create("Note", other), Change.create("Note", twice), Change.forceUpdate("Note", twice, [:]),
        ]
        let answer = try await database.modify(changes, zone: zone, atomic: atomic)
        expectRefused(answer, 400, "BAD_REQUEST", twice)
        for name in [twice, other] { try await expectAbsent(name, in: database, zone: zone) }
    }

    @Test("Case 24: what a save returns is what is stored, not what was sent")
    func case24() async throws {
        var change = Change.create("Note", Unique.name("r"), Fields.untyped(["a": 1]))
        let ignored: JSON = [
            "created": ["timestamp": 1, "userRecordName": "_eve", "deviceID": "x"],
            "modified": ["timestamp": 1, "userRecordName": "_eve", "deviceID": "x"],
            "deleted": false, "pluginFields": [:], "shortGUID": "0stolen", "share": ["recordName": "Share-1"],
        ]
        change["record"] = change["record"].merging(ignored)
        let record = try await one(change)
        expectComplete(record, by: tenant.alice.userRecordName)
        #expect(record["shortGUID"] == .absent)
        #expect(record["share"] == .absent)
        try await expectUnchanged(record, in: database)
    }

    @Test("Update, replace and delete without a change tag are refused", arguments: ["update", "replace", "delete"])
    func withoutTag(kind: String) async throws {
        let record = try await stored()
        let fields = kind == "delete" ? .absent : Fields.untyped(["a": 3])
        let item = try await one(Change.make(kind, record.name, type: "Note", fields))
        expectFailed(item, "BAD_REQUEST", "recordChangeTag")
        try await expectUnchanged(record, in: database)
    }

    @Test("A field sent as null is cleared, with a type or without")
    func nullClears() async throws {
        let old = try await stored()
        let fields: JSON = ["a": ["value": nil], "b": ["value": nil, "type": "STRING"]]
        let new = try await one(Change.update(old, fields))
        #expect(new["fields"] == [:])
        try await expectUnchanged(new, in: database)
    }

    @Test("What a client says of who made and changed a record, and when, is ignored")
    func forgedHistory() async throws {
        let stamp: JSON = ["timestamp": 1_000, "userRecordName": "_0123456789abcdef0123456789abcdef", "deviceID": "d"]
        func forged(_ change: JSON) -> JSON {
            var change = change
            change["record"]["created"] = stamp
            change["record"]["modified"] = stamp
            return change
        }
        let made = try await one(forged(Change.create("Note", Unique.name("r"), Fields.untyped(["a": 1]))))
        expectComplete(made, by: tenant.alice.userRecordName)
        let updated = try await one(forged(Change.update(made, Fields.untyped(["a": 2]))))
        let replaced = try await one(forged(Change.forceReplace("Note", made.name, Fields.untyped(["a": 3]))))
        for record in [updated, replaced] {
            expectComplete(record, by: tenant.alice.userRecordName)
            #expect(record["created"] == made["created"])
        }
        try await expectUnchanged(replaced, in: database)
    }

    @Test("A record's type never changes")
    func typeStays() async throws {
        let record = try await stored()
        let other = Unique.name("Other")
        for kind in ["update", "forceUpdate", "replace", "forceReplace"] {
            let item = try await one(
                Change.make(kind, record.name, type: other, tag: record.tag, Fields.untyped(["a": 1])))
            expectFailed(item, "BAD_REQUEST", record.name)
        }
        try await expectUnchanged(record, in: database)
    }

    @Test("createShortGUID makes a short GUID that stays")
    func shortGUID() async throws {
        var change = Change.create("Note", Unique.name("r"))
        change["record"]["createShortGUID"] = true
        let record = try await one(change)
        #expect(record["shortGUID"].string?.isEmpty == false)
        let found = try await database.find(record.name)
        #expect(found["shortGUID"] == record["shortGUID"])
    }

    @Test("Of many writers with the same tag exactly one wins")
    func oneWinner() async throws {
        let record = try await stored()
        let database = database
        let items = try await withThrowingTaskGroup(of: JSON.self) { group in
            for writer in 0..<32 {
                let change = Change.update(record, Fields.untyped(["a": .int(writer)]))
                group.addTask { try await database.modify([change]).records.first ?? .absent }
            }
            return try await group.reduce(into: [JSON]()) { $0.append($1) }
        }
        let winners = items.filter { $0["serverErrorCode"] == .absent }
        #expect(winners.count == 1)
        for item in items where item["serverErrorCode"].isPresent {
            expectFailed(item, "CONFLICT")
            #expect(item["serverRecord"]["recordChangeTag"] == winners.first?["recordChangeTag"])
        }
        try await expectUnchanged(winners.first ?? .absent, in: database)
    }
}
