import StratusTestSupport
import Testing

/// `changes/database` and the older `zones/changes`.
@Suite("Changes of a database")
struct DatabaseChangesTests {
    /// Names of an answer's zones, with a minus where they are deleted.
    private func names(_ answer: Answer) -> [String] {
        answer.zones.map { ($0["deleted"] == true ? "-" : "") + ($0["zoneID"]["zoneName"].string ?? "?") }
    }

    private func expectShape(_ answer: Answer, at location: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 200, "\(answer)", sourceLocation: location)
        #expect(answer.json["zones"].array != nil, "\(answer)", sourceLocation: location)
        #expect(answer.json["syncToken"].string?.isEmpty == false, "\(answer)", sourceLocation: location)
        #expect(answer.json["moreComing"].bool != nil, "\(answer)", sourceLocation: location)
        for zone in answer.zones {
            #expect(zone["deleted"].bool != nil, "\(answer)", sourceLocation: location)
            #expect(zone["zoneID"]["zoneType"] == "REGULAR_CUSTOM_ZONE", "\(answer)", sourceLocation: location)
            #expect(zone["zoneID"]["ownerRecordName"].string != nil, "\(answer)", sourceLocation: location)
        }
    }

    @Test("Cases 96 and 77: the zones that changed and those deleted since, with a token")
    func case96() async throws {
        // A tenant of its own, since other tests change zones.
        let database = try await Tenant.shared("Database changes, case 96").privateDatabase
        let (kept, gone, quiet) = (
            try await database.makeZone(), try await database.makeZone(), try await database.makeZone()
        )
        let start = try await database.databaseChanges()
        expectShape(start)
        #expect(Set(names(start)).isSuperset(of: [kept, gone, quiet]))
        #expect(!names(start).contains("_defaultZone"), "default zones have no feed")
        let token = start.json["syncToken"].string
        let nothing = try await database.databaseChanges(since: token)
        expectShape(nothing)
        #expect(nothing.json["zones"] == [] && nothing.json["moreComing"] == false)
        for value in 1...2 {
            let change = Change.forceUpdate("Note", "r", Fields.untyped(["n": .int(value)]))
            try await database.save(change, zone: kept)
        }
        _ = try await database.zone("delete", gone)
        let made = try await database.makeZone()
        let later = try await database.databaseChanges(since: token)
        expectShape(later)
        #expect(names(later) == [kept, "-" + gone, made])
        #expect(later.zones.map(\.object?.count) == [2, 2, 2], "a zoneID and whether it is deleted")
        _ = try await database.zone("create", gone)
        #expect(names(try await database.databaseChanges(since: token)) == [kept, made, gone])
    }

    @Test("Cases 79 and 80: purged, reset and deleted zones are told apart")
    func case80() async throws {
        let database = try await Tenant.shared("Database changes, case 80").privateDatabase
        let start = try await database.databaseChanges().json["syncToken"].string
        var reasons: [String: JSON] = [:]
        for (reason, code) in [
            ("PURGED", "USER_DELETED_ZONE"), ("ENCRYPTED_DATA_RESET", "USER_DID_RESET_ENCRYPTED_DATA"),
            ("DELETED", nil),
        ] as [(String, String?)] {
            let zone = try await database.makeZone()
            let operation: JSON = [
                "operationType": "delete", "zone": ["zoneID": ["zoneName": .string(zone)]],
                "deletionReason": .string(reason),
            ]
            let answer = try await database.post("zones/modify", ["operations": [operation]])
            #expect(answer.zones.first?["deleted"] == true, "\(answer)")
            let expected: JSON = code.map { _ in .string(reason) } ?? .absent
            #expect(answer.zones.first?["deletionReason"] == expected, "\(answer)")
            reasons[zone] = expected
            let page = try await database.zonePage(zone)
            expectFailed(page, "ZONE_NOT_FOUND")
            #expect(page["extensionErrorCode"] == (code.map { .string($0) } ?? .absent), "\(page)")
        }
        let later = try await database.databaseChanges(since: start)
        expectShape(later)
        #expect(later.zones.count == reasons.count)
        for zone in later.zones {
            let name = try #require(zone["zoneID"]["zoneName"].string)
            #expect(zone["deleted"] == true && zone["deletionReason"] == reasons[name], "\(zone)")
        }
        let unknown: JSON = [
            "operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]], "deletionReason": "WHIM",
        ]
        expectRefused(
            try await database.post("zones/modify", ["operations": [unknown]]), 400, "BAD_REQUEST", "deletionReason")
    }

    @Test("Pages of zones, with either name of the token")
    func pages() async throws {
        let database = try await Tenant.shared("Database changes, alone").privateDatabase
        var zones: [String] = []
        for _ in 0..<5 { zones.append(try await database.makeZone()) }
        for (action, key) in [
            ("changes/database", "syncToken"), ("zones/changes", "metaSyncToken"), ("zones/changes", "syncToken"),
        ] {
            var body: JSON = ["resultsLimit": 2]
            var found: [String] = []
            var moreComing = true
            while moreComing {
                let answer = try await database.post(action, body)
                expectShape(answer)
                found += names(answer)
                moreComing = answer.json["moreComing"] == true
                body[key] = answer.json[key]
                #expect(body[key].string != nil)
            }
            #expect(found == zones, "\(action) with \(key)")
        }
        for action in ["changes/database", "zones/changes"] {
            expectRefused(try await database.post(action, ["resultsLimit": 0]), 400, "BAD_REQUEST", "resultsLimit")
        }
    }

    @Test("Case 97: zones/changes answers metaSyncToken and whole zones, deleted ones as such")
    func case97() async throws {
        let database = try await Tenant.shared("Database changes").privateDatabase
        let (kept, gone) = (try await database.makeZone(), try await database.makeZone())
        let token = try await database.post("zones/changes", [:]).json["metaSyncToken"]
        #expect(token.string?.isEmpty == false)
        try await database.save(Change.create("Note", "r"), zone: kept)
        _ = try await database.zone("delete", gone)
        let answer = try await database.post("zones/changes", ["metaSyncToken": token])
        expectShape(answer)
        let zone = answer.zones.first { $0["zoneID"]["zoneName"].string == kept } ?? .absent
        #expect(zone["atomic"] == true && zone["deleted"] == false)
        // The zone's own token goes on in the zone's own feed.
        let own = try #require(zone["syncToken"].string)
        try await database.save(Change.create("Note", "s"), zone: kept)
        #expect(try await database.zonePage(kept, since: own).records.map(\.name) == ["s"])
        let deleted = answer.zones.first { $0["zoneID"]["zoneName"].string == gone } ?? .absent
        #expect(deleted["deleted"] == true)
    }

    @Test("The shared database has an empty feed while nothing is shared")
    func shared() async throws {
        let tenant = try await Tenant.shared("Database changes")
        let shared = tenant.database("shared", tenant.credential(of: tenant.alice))
        let answer = try await shared.databaseChanges()
        expectShape(answer)
        #expect(answer.json["zones"] == [] && answer.json["moreComing"] == false)
        let again = try await shared.databaseChanges(since: answer.json["syncToken"].string)
        #expect(again.json["zones"] == [])
        let words = "Only shared zones can be accessed in the shared DB"
        expectFailed(try await shared.zonePage("Z"), "BAD_REQUEST", words)
    }
}
