import StratusTestSupport
import Testing

/// Types and fields that appear with the first save in development, and never in production.
@Suite("Just-in-time schema")
struct SchemaTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Schema")
        database = tenant.privateDatabase
    }

    private func one(_ change: JSON, in database: Database) async throws -> JSON {
        let answer = try await database.modify([change])
        #expect(answer.status == 200, "\(answer)")
        return answer.records.first ?? .absent
    }

    @Test("Case 17: a field's type never changes", arguments: ["private", "public"])
    func case17(scope: String) async throws {
        let database = tenant.database(scope, tenant.credential(of: tenant.alice))
        let type = Unique.name("Typed")
        let bytes = Fields.typed("BYTES", "AAEC")
        _ = try await database.save(Change.create(type, Unique.name("r"), ["f": bytes]))
        let wrong: [JSON] = [
            Fields.typed("STRING", "text"), Fields.typed("INT64", 1), Fields.typed("BYTES_LIST", ["AAEC"]),
            Fields.typed("LOCATION", ["latitude": 1, "longitude": 2]),
        ]
        for value in wrong {
            let name = Unique.name("r")
            let item = try await one(Change.create(type, name, ["f": value]), in: database)
            expectFailed(item, "BAD_REQUEST", "'f'", "BYTES")
            try await expectAbsent(name, in: database)
        }
    }

    @Test("Case 17: in a custom zone the siblings of such a save fail with it")
    func case17Atomic() async throws {
        let type = Unique.name("Typed")
        let zone = try await database.makeZone()
        _ = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["f": 1])), zone: zone)
        let (good, bad) = (Unique.name("r"), Unique.name("r"))
        let answer = try await database.modify(
            [Change.create(type, good), Change.create(type, bad, Fields.untyped(["f": "x"]))], zone: zone)
        expectFailed(answer.records.first ?? .absent, "ATOMIC_ERROR")
        expectFailed(answer.records.last ?? .absent, "BAD_REQUEST", "'f'")
        for name in [good, bad] { try await expectAbsent(name, in: database, zone: zone) }
    }

    @Test("Case 17: two records of one batch cannot make a field of two types", arguments: [true, false])
    func case17InOneBatch(atomic: Bool) async throws {
        let (type, zone) = (Unique.name("Typed"), try await database.makeZone())
        let names = [Unique.name("r"), Unique.name("r")]
        let changes = [
            Change.create(type, names[0], Fields.untyped(["f": 1])),
            Change.create(type, names[1], Fields.untyped(["f": "x"])),
        ]
        let answer = try await database.modify(changes, zone: zone, atomic: atomic)
        expectFailed(answer.records.last ?? .absent, "BAD_REQUEST", "'f'", "INT64")
        try await expectAbsent(names[1], in: database, zone: zone)
        if atomic {
            expectFailed(answer.records.first ?? .absent, "ATOMIC_ERROR")
            try await expectAbsent(names[0], in: database, zone: zone)
        } else {
            #expect(answer.records.first?["fields"]["f"]["type"] == "INT64", "\(answer)")
        }
    }

    @Test("Case 21: within a batch an empty list follows the field that an earlier operation made")
    func emptyListInOneBatch() async throws {
        let type = Unique.name("Listed")
        let answer = try await database.modify([
            Change.create(type, Unique.name("r"), Fields.untyped(["f": ["a"]])),
            Change.create(type, Unique.name("r"), Fields.untyped(["f": []])),
        ])
        let records = expectSaved(answer, count: 2)
        #expect(records.last?["fields"]["f"] == ["type": "STRING_LIST", "value": []])
    }

    @Test("Case 18: in development types and fields are made with the first save")
    func case18() async throws {
        let type = Unique.name("New")
        let first = try await one(Change.create(type, Unique.name("r"), Fields.untyped(["a": 1])), in: database)
        #expect(first["fields"]["a"]["type"] == "INT64")
        let second = try await one(Change.update(first, Fields.untyped(["later": "x"])), in: database)
        #expect(second["fields"]["later"]["type"] == "STRING")
        let found = try await database.queryAll(type, filters: [Condition.filter("later", "EQUALS", "x")])
        #expect(found.map(\.name) == [first.name])
    }

    @Test("Case 18: a save that fails makes neither type nor field")
    func case18Refused() async throws {
        let type = Unique.name("Never")
        let answer = try await database.modify([Change.make("update", Unique.name("r"), type: type, tag: "1", [:])])
        expectFailed(answer.records.first ?? .absent, "NOT_FOUND")
        expectRefused(try await database.query(type), 404, "NOT_FOUND", "Did not find record type: \(type)")
    }

    @Test("Case 19: in production an unknown type is refused")
    func case19() async throws {
        let type = Unique.name("Unknown")
        let item = try await one(
            Change.create(type, Unique.name("r")), in: try await tenant.production("private", tenant.alice))
        expectFailed(item, "BAD_REQUEST", "Cannot create new type \(type) in production schema")
    }

    @Test("Case 20: in production an unknown field is refused")
    func case20() async throws {
        let type = Unique.name("Deployed")
        try await tenant.applySchema("RECORD TYPE \(type) (a STRING, GRANT READ TO \"_world\");")
        let database = try await tenant.production("private", tenant.alice)
        let record = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["a": "x"])))
        let item = try await one(Change.update(record, Fields.untyped(["f": 1])), in: database)
        expectFailed(
            item, "BAD_REQUEST", "Cannot create or modify field 'f' in record '\(type)' in production schema")
        try await expectUnchanged(record, in: database)
    }

    @Test("Case 20: the type of users' records is known in production too")
    func case20Users() async throws {
        let database = try await tenant.production("public", tenant.alice)
        let me = try await database.get("users/caller").json["userRecordName"].string ?? ""
        let user = try await database.find(me)
        let item = try await one(Change.update(user, Fields.untyped(["f": 1])), in: database)
        expectFailed(item, "BAD_REQUEST", "Cannot create or modify field 'f' in record 'Users' in production schema")
    }

    @Test("Case 21: an empty list cannot make a field")
    func case21() async throws {
        let type = Unique.name("Listed")
        let name = Unique.name("r")
        let item = try await one(Change.create(type, name, Fields.untyped(["f": []])), in: database)
        expectFailed(item, "BAD_REQUEST", "cannot use an empty list to initialize a new field", "'f'")
        try await expectAbsent(name, in: database)
    }

    @Test(
        "Case 22: fields whose names begin with an underscore are the system's",
        arguments: ["_f", "___createTime", "___recordID", "___createdBy", "__"])
    func case22(field: String) async throws {
        let name = Unique.name("r")
        let item = try await one(Change.create("Note", name, Fields.untyped([field: 1])), in: database)
        expectFailed(item, "ACCESS_DENIED", "Unprivileged attempt to insert a system field")
        try await expectAbsent(name, in: database)
    }

    @Test(
        "Case 23: names with a dot or another character are refused", arguments: ["a.b", "1a", "a b", "é", "a-b", ""])
    func case23(word: String) async throws {
        let name = Unique.name("r")
        let asField = try await one(Change.create("Note", name, Fields.untyped([word: 1])), in: database)
        expectFailed(asField, "BAD_REQUEST")
        let asType = try await database.modify([Change.create(word, name)])
        #expect(asType.code == "BAD_REQUEST" || asType.records.first?["serverErrorCode"] == "BAD_REQUEST", "\(asType)")
        try await expectAbsent(name, in: database)
    }

    @Test("Case 25: an encrypted value does not go into a plain field")
    func case25() async throws {
        let type = Unique.name("Plain")
        let record = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["f": "x"])))
        let secret: JSON = ["value": "y", "type": "STRING", "isEncrypted": true]
        let item = try await one(Change.update(record, ["f": secret]), in: database)
        expectFailed(item, "BAD_REQUEST", "Attempt to save encrypted data in non encrypted field type")
        try await expectUnchanged(record, in: database)
    }

    @Test("Case 25: a plain value does not go into an encrypted field, which no query can ask about")
    func encryptedField() async throws {
        let type = Unique.name("Secret")
        let secret: JSON = ["value": "y", "type": "STRING", "isEncrypted": true]
        let record = try await database.save(Change.create(type, Unique.name("r"), ["f": secret]))
        #expect(record["fields"]["f"] == secret)
        let plain = try await one(Change.update(record, ["f": Fields.typed("STRING", "z")]), in: database)
        expectFailed(plain, "BAD_REQUEST", "'f'", "ENCRYPTED_STRING")
        let query = try await database.query(type, filters: [Condition.filter("f", "EQUALS", "y")])
        expectRefused(query, 400, "BAD_REQUEST", "'f'", "ENCRYPTED_STRING", "EQUALS")
    }

    @Test("Case 25: the public database has no encrypted fields")
    func encryptedInPublic() async throws {
        let secret: JSON = ["value": "y", "type": "STRING", "isEncrypted": true]
        let change = Change.create(Unique.name("Secret"), Unique.name("r"), ["f": secret])
        let item = try await one(change, in: tenant.publicDatabase)
        expectFailed(item, "BAD_REQUEST", "encrypted fields are not supported in the public database")
    }

    @Test("A type belongs to the container: two databases agree on it, two containers do not share it")
    func scopeOfSchema() async throws {
        let type = Unique.name("Scoped")
        _ = try await tenant.publicDatabase.save(Change.create(type, Unique.name("r"), Fields.untyped(["f": 1])))
        let item = try await one(Change.create(type, Unique.name("r"), Fields.untyped(["f": "x"])), in: database)
        expectFailed(item, "BAD_REQUEST", "'f'")
        let stranger = try await Tenant.shared("Saving").privateDatabase
        let record = try await stranger.save(Change.create(type, Unique.name("r"), Fields.untyped(["f": "x"])))
        #expect(record["fields"]["f"]["type"] == "STRING")
    }
}
