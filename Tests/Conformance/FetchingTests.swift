import StratusTestSupport
import Testing

/// Looking records up.
@Suite("Fetching")
struct FetchingTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Fetching")
        database = tenant.privateDatabase
    }

    @Test("Case 56: lookups in an unknown zone fail one by one")
    func case56() async throws {
        let zone = Unique.name("Zone")
        let answer = try await database.lookup(["a", "b"], zone: zone)
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.records.map(\.name) == ["a", "b"])
        for item in answer.records { expectFailed(item, "ZONE_NOT_FOUND", "Zone '\(zone)' does not exist") }
    }

    @Test("Case 57: an absent record is not found")
    func case57() async throws {
        let name = Unique.name("r")
        let item = try await database.find(name)
        expectFailed(item, "NOT_FOUND")
        #expect(item["recordName"].string == name)
    }

    @Test("Case 58: of several records the absent ones fail alone, in their places")
    func case58() async throws {
        let first = try await database.save(Change.create("Note", Unique.name("r"), Fields.untyped(["a": 1])))
        let second = try await database.save(Change.create("Note", Unique.name("r"), Fields.untyped(["a": 2])))
        let absent = Unique.name("r")
        let answer = try await database.lookup([second.name, absent, first.name])
        #expect(answer.status == 200)
        #expect(answer.records.map(\.name) == [second.name, absent, first.name])
        expectFailed(answer.records[1], "NOT_FOUND")
        #expect(answer.records[0].value("a") == 2)
        #expect(answer.records[2].value("a") == 1)
    }

    @Test("Case 59: desiredKeys choose the fields of lookups, queries and saves; system fields stay")
    func case59() async throws {
        let type = Unique.name("Wide")
        let fields = Fields.untyped(["a": 1, "b": 2, "c": 3])
        let record = try await database.save(Change.create(type, Unique.name("r"), fields))
        let user = tenant.alice.userRecordName
        let cases: [([String], Set<String>)] = [(["a"], ["a"]), (["c", "a", "none"], ["a", "c"]), ([], [])]
        for (keys, expected) in cases {
            let options: JSON = ["desiredKeys": .strings(keys)]
            let looked = try await database.lookup([record.name], options).records
            let queried = try await database.query(type, options).records
            let saved = try await database.modify([Change.forceUpdate(type, record.name, [:])], options).records
            for records in [looked, queried, saved] {
                try #require(records.count == 1)
                expectComplete(records[0], by: user)
                #expect(Set(records[0]["fields"].object?.keys ?? [:].keys) == expected, "\(records[0])")
            }
        }
        let all = try await database.lookup([record.name], ["desiredKeys": nil]).records
        #expect(all.first?["fields"].object?.count == 3)
    }

    @Test("Case 59: an item's own desiredKeys override the request's")
    func innerDesiredKeys() async throws {
        let record = try await database.save(
            Change.create("Wide", Unique.name("r"), Fields.untyped(["a": 1, "b": 2])))
        let body: JSON = [
            "records": [["recordName": record["recordName"], "desiredKeys": ["b"]]], "desiredKeys": ["a"],
        ]
        let found = try await database.post("records/lookup", body)
        #expect(found.records.first?["fields"] == ["b": ["value": 2, "type": "INT64"]])
        var change = Change.update(record, Fields.untyped(["a": 5]))
        change["desiredKeys"] = ["a"]
        let saved = try await database.modify([change], ["desiredKeys": ["b"]])
        #expect(saved.records.first?["fields"] == ["a": ["value": 5, "type": "INT64"]])
        #expect(try await database.find(record.name).value("b") == 2)
    }

    @Test("desiredKeys that name system fields bring nothing more")
    func systemDesiredKeys() async throws {
        let record = try await database.save(Change.create("Wide", Unique.name("r"), Fields.untyped(["a": 1])))
        let keys: JSON = ["desiredKeys": ["___createdBy", "_secret", "created", "a"]]
        let found = try await database.lookup([record.name], keys)
        #expect(found.records.first?["fields"].object?.keys.sorted() == ["a"])
    }

    @Test("A lookup of nothing finds nothing")
    func emptyLookup() async throws {
        let answer = try await database.lookup([])
        #expect(answer.status == 200)
        #expect(answer.json["records"] == [])
    }

    @Test("A name that is given again is answered once, where it stands first")
    func repeatedNames() async throws {
        let (first, second) = (
            try await database.save(Change.create("Note", Unique.name("r"))),
            try await database.save(Change.create("Note", Unique.name("r")))
        )
        let answer = try await database.lookup([first.name, second.name, first.name, "absent", "absent"])
        #expect(answer.records.map(\.name) == [first.name, second.name, "absent"])
    }

    @Test("getCurrentSyncToken adds the zone's sync token to answers")
    func syncToken() async throws {
        let zone = try await database.makeZone()
        let record = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        let zoneID: JSON = ["zoneName": .string(zone)]
        let bodies: [(String, JSON)] = [
            ("records/lookup", ["zoneID": zoneID, "records": [["recordName": record["recordName"]]]]),
            ("records/query", ["zoneID": zoneID, "query": ["recordType": "Note"]]),
            ("records/modify", ["zoneID": zoneID, "operations": [Change.update(record, [:])]]),
        ]
        for (action, body) in bodies {
            let answer = try await database.send(
                "POST", path: database.path(action), query: ["getCurrentSyncToken=true"], body: Array(body.text.utf8))
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.json["syncToken"].string?.isEmpty == false, "\(answer)")
        }
    }
}
