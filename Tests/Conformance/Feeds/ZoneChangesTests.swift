import StratusCloudModel
import StratusTestSupport
import Testing

/// `changes/zone` and the older `records/changes`.
@Suite("Changes of a zone")
struct ZoneChangesTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Zone changes")
        database = tenant.privateDatabase
    }

    /// Names of a page's records, with a minus where they are deleted.
    private func names(_ page: JSON) -> [String] {
        page.records.map { ($0["deleted"] == true ? "-" : "") + $0.name }
    }

    private func save(_ names: String..., zone: String) async throws {
        for name in names { try await database.save(Change.forceUpdate("Note", name, [:]), zone: zone) }
    }

    @Test("Case 87: without a token every live record once, and a token")
    func case87() async throws {
        let zone = try await database.makeZone()
        try await save("a", "b", "c", zone: zone)
        _ = try await database.modify([Change.forceDelete("b")], zone: zone)
        let page = try await database.zonePage(zone)
        #expect(names(page) == ["a", "c"])
        #expect(page["moreComing"] == false)
        #expect(page["syncToken"].string?.isEmpty == false)
        #expect(page["zoneID"]["zoneName"].string == zone)
        #expect(page["zoneID"]["ownerRecordName"].string == tenant.alice.userRecordName)
        for record in page.records {
            expectComplete(record, by: tenant.alice.userRecordName)
            #expect(record["zoneID"] == page["zoneID"])
        }
        let found = try await database.find("a", zone: zone)
        #expect(page.records.first == found, "as a lookup gives it")
    }

    @Test("Case 88: nothing happened since the token: nothing, and a token")
    func case88() async throws {
        let zone = try await database.makeZone()
        try await save("a", zone: zone)
        let token = try await database.syncToken(of: zone)
        let page = try await database.zonePage(zone, since: token)
        #expect(page["records"] == [])
        #expect(page["moreComing"] == false)
        #expect(page["syncToken"].string?.isEmpty == false)
    }

    @Test("Case 89: a record that changed twice stands once, in its newest version")
    func case89() async throws {
        let zone = try await database.makeZone()
        try await save("a", "b", zone: zone)
        let token = try await database.syncToken(of: zone)
        for value in 1...2 {
            let change = Change.forceUpdate("Note", "a", Fields.untyped(["n": .int(value)]))
            try await database.save(change, zone: zone)
        }
        let page = try await database.zonePage(zone, since: token)
        #expect(names(page) == ["a"])
        #expect(page.records.first?.value("n") == 2)
    }

    @Test("Cases 90 and 42: a deletion is a tombstone without type and fields")
    func case90() async throws {
        let zone = try await database.makeZone()
        try await save("a", zone: zone)
        let token = try await database.syncToken(of: zone)
        _ = try await database.modify([Change.forceDelete("a")], zone: zone)
        let page = try await database.zonePage(zone, since: token)
        let item = page.records.first ?? .absent
        expectDeleted(item, "a")
        #expect(item["zoneID"]["zoneName"].string == zone)
        #expect(item["deletedRecordType"] == "Note", "an extension, for clients that tell the type on")
    }

    @Test("Case 91: what was made and deleted since is a deletion or nothing")
    func case91() async throws {
        let zone = try await database.makeZone()
        let token = try await database.syncToken(of: zone)
        try await save("a", zone: zone)
        _ = try await database.modify([Change.forceDelete("a")], zone: zone)
        for item in try await database.zonePage(zone, since: token).records { expectDeleted(item, "a") }
    }

    @Test("A client is given what it gave with its latest modification; no other client is, whatever it calls itself")
    func clientChangeToken() async throws {
        let zone = try await database.makeZone()
        #expect(try await database.zonePage(zone)["clientChangeToken"] == .absent)
        let change = Change.forceUpdate("Note", "a", [:])
        let given = try await database.modify([change], zone: zone, ["clientChangeToken": "AQID"])
        #expect(given.status == 200)
        #expect(try await database.zonePage(zone)["clientChangeToken"] == "AQID")
        let older = try await database.post("records/changes", ["zoneID": ["zoneName": .string(zone)]])
        #expect(older.json["clientChangeToken"] == "AQID")
        let session = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container)
        let other = tenant.database(
            "private", .user(apiToken: tenant.apiToken, webAuthToken: session.webAuthToken))
        #expect(try await other.zonePage(zone)["clientChangeToken"] == .absent)

        let largest = Base64.string([UInt8](repeating: 1, count: ModelLimits.clientChangeTokenSize))
        let tooLarge = Base64.string([UInt8](repeating: 1, count: ModelLimits.clientChangeTokenSize + 1))
        let refusals: [(JSON, String)] = [
            (.string(tooLarge), "'clientChangeToken' has 1025 bytes, which is more than the maximum of 1024"),
            ("?", "clientChangeToken must be base64"), (1, "clientChangeToken must be base64"),
        ]
        for (token, reason) in refusals {
            let answer = try await database.modify(
                [Change.create("Note", "b", [:])], zone: zone, ["clientChangeToken": token])
            #expect(answer.status == 400 && answer.json["reason"].string?.contains(reason) == true, "\(answer)")
        }
        #expect(try await database.modify([change], zone: zone, ["clientChangeToken": .string(largest)]).status == 200)
        let page = try await database.zonePage(zone)
        #expect(page["clientChangeToken"] == .string(largest) && names(page) == ["a"])
    }

    @Test("Case 92: pages resume exactly, while records change", arguments: [1, 3, 200])
    func case92(limit: Int) async throws {
        let zone = try await database.makeZone()
        let all = (0..<10).map { "r\($0)" }
        expectSaved(try await database.modify(all.map { Change.create("Note", $0) }, zone: zone), count: 10)
        var token: String?
        var pages: [[String]] = []
        while true {
            let page = try await database.zonePage(zone, since: token, ["resultsLimit": .int(limit)])
            #expect(page.records.count <= limit)
            pages.append(names(page))
            token = page["syncToken"].string
            if pages.count == 1 { try await save("r0", "r9", zone: zone) }
            guard page["moreComing"] == true else { break }
        }
        // One that was told and one that was not yet have changed: both stand at the end.
        if limit < 10 { #expect(pages.flatMap { $0 } == all.dropLast() + ["r0", "r9"]) }
        let nothing = try await database.zonePage(zone, since: token)
        #expect(names(nothing) == (limit < 10 ? [] : ["r0", "r9"]))
    }

    @Test("Case 93: a token from before the zone was made again has expired")
    func case93() async throws {
        let zone = try await database.makeZone()
        try await save("old", zone: zone)
        let token = try await database.syncToken(of: zone)
        _ = try await database.zone("delete", zone)
        _ = try await database.zone("create", zone)
        try await save("new", zone: zone)
        expectExpired(try await database.zonePage(zone, since: token))
        #expect(names(try await database.zonePage(zone)) == ["new"])
    }

    @Test("Case 94: an unknown zone fails in its place, the others stand")
    func case94() async throws {
        let zone = try await database.makeZone()
        try await save("a", zone: zone)
        let absent = Unique.name("Zone")
        let items: [JSON] = [absent, zone, "_defaultZone"].map { ["zoneID": ["zoneName": .string($0)]] }
        let answer = try await database.post("changes/zone", ["zones": .array(items)])
        #expect(answer.status == 200)
        #expect(answer.zones.map { $0["zoneID"]["zoneName"].string } == [absent, zone, "_defaultZone"])
        expectFailed(answer.zones[0], "ZONE_NOT_FOUND", absent)
        #expect(answer.zones[0]["syncToken"] == .absent && answer.zones[0]["records"] == .absent)
        #expect(names(answer.zones[1]) == ["a"])
        expectFailed(answer.zones[2], "BAD_REQUEST", "cannot get changes in default zone")
        expectRefused(
            try await database.post("records/changes", ["zoneID": ["zoneName": .string(absent)]]), 404,
            "ZONE_NOT_FOUND", absent)
    }

    @Test("Case 95: the default zone and the public database have no changes")
    func case95() async throws {
        let zoneID: JSON = ["zoneName": "_defaultZone"]
        expectRefused(
            try await database.post("records/changes", ["zoneID": zoneID]), 400, "BAD_REQUEST",
            "cannot get changes in default zone")
        for (action, body) in [
            ("records/changes", ["zoneID": zoneID]), ("changes/zone", ["zones": [["zoneID": zoneID]]]),
            ("changes/database", [:]), ("zones/changes", [:]),
        ] as [(String, JSON)] {
            expectRefused(try await tenant.publicDatabase.post(action, body), 400, "BAD_REQUEST", "public database")
            expectRefused(
                try await tenant.database("private", .apiToken(tenant.apiToken)).post(action, body), 421,
                "AUTHENTICATION_REQUIRED")
        }
    }

    @Test("Case 97: what a zone says counts before what the request says for all")
    func options() async throws {
        let (one, two) = (try await database.makeZone(), try await database.makeZone())
        let fields = Fields.untyped(["n": 9_007_199_254_740_993, "m": 1])
        for zone in [one, two] {
            for (type, name) in [("Note", "a"), ("Task", "b"), ("Note", "c")] {
                try await database.save(Change.create(type, name, fields), zone: zone)
            }
        }
        let answer = try await database.post(
            "changes/zone",
            [
                "zones": [
                    ["zoneID": ["zoneName": .string(one)]],
                    [
                        "zoneID": ["zoneName": .string(two)], "desiredKeys": ["m"], "desiredRecordTypes": ["Task"],
                        "numberAsStrings": false, "reverse": true, "resultsLimit": 5,
                    ],
                ],
                "desiredKeys": ["n"], "desiredRecordTypes": ["Note"], "numbersAsStrings": true, "resultsLimit": 1,
            ])
        #expect(names(answer.zones[0]) == ["a"])
        #expect(answer.zones[0]["moreComing"] == true)
        #expect(answer.zones[0].records[0]["fields"] == ["n": ["value": "9007199254740993", "type": "INT64"]])
        #expect(names(answer.zones[1]) == ["b"])
        #expect(answer.zones[1]["moreComing"] == false)
        #expect(answer.zones[1].records[0]["fields"] == ["m": ["value": 1, "type": "INT64"]])
    }

    @Test("records/changes: the same page at the top of the answer, the latest first if wished")
    func recordChanges() async throws {
        let zone = try await database.makeZone()
        try await save("a", "b", "c", zone: zone)
        let zoneID: JSON = ["zoneName": .string(zone)]
        let forth = try await database.post("records/changes", ["zoneID": zoneID, "resultsLimit": 2])
        #expect(names(forth.json) == ["a", "b"])
        #expect(forth.json["moreComing"] == true && forth.json["reverse"] == false)
        let rest = try await database.post("records/changes", ["zoneID": zoneID, "syncToken": forth.json["syncToken"]])
        #expect(names(rest.json) == ["c"] && rest.json["moreComing"] == false)
        var body: JSON = ["zoneID": zoneID, "resultsLimit": 2, "reverse": true]
        let back = try await database.post("records/changes", body)
        #expect(names(back.json) == ["c", "b"])
        #expect(back.json["moreComing"] == true && back.json["reverse"] == true)
        body["syncToken"] = back.json["syncToken"]
        let first = try await database.post("records/changes", body)
        #expect(names(first.json) == ["a"] && first.json["moreComing"] == false)
        try await save("d", zone: zone)
        body["syncToken"] = first.json["syncToken"]
        #expect(names(try await database.post("records/changes", body).json) == ["d"])
    }

    @Test("Edges: resultsLimit, numbers of zones and names, and what cannot be read")
    func edges() async throws {
        let zone = try await database.makeZone()
        let item: JSON = ["zoneID": ["zoneName": .string(zone)]]
        for (limit, isGood) in [(0, false), (-1, false), (1, true), (200, true), (201, true)] {
            let page = try await database.zonePage(zone, ["resultsLimit": .int(limit)])
            if isGood {
                #expect(page["records"] == [], "\(page)")
            } else {
                expectFailed(page, "BAD_REQUEST", "resultsLimit")
            }
        }
        let most = JSON.array(Array(repeating: item, count: 200))
        #expect(try await database.post("changes/zone", ["zones": most]).zones.count == 200)
        let over = JSON.array(Array(repeating: item, count: 201))
        expectRefused(try await database.post("changes/zone", ["zones": over]), 400, "BAD_REQUEST", "201", "200")
        let names = JSON.strings(Array(repeating: "k", count: 1_001))
        for key in ["desiredKeys", "desiredRecordTypes"] {
            expectFailed(try await database.zonePage(zone, [key: names]), "BAD_REQUEST", key, "1001", "1000")
        }
        #expect(try await database.post("changes/zone", ["zones": []]).json["zones"] == [])
        for body in [
            "{}", #"{"zones":{}}"#, #"{"zones":[{}]}"#, #"{"zones":["Z"]}"#, #"{"zones":[{"zoneID":"Z"}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"syncToken":1}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"resultsLimit":1.5}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"desiredKeys":[1]}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"reverse":"yes"}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"syncToken":"a","syncToken":"b"}]}"#,
        ] {
            expectRefused(try await database.post("changes/zone", text: body), 400, "BAD_REQUEST")
        }
    }
}

/// Expects the error of a token that cannot be continued, in the place of a zone.
func expectExpired(_ item: JSON, at location: SourceLocation = #_sourceLocation) {
    expectFailed(item, "BAD_REQUEST", "syncToken", at: location)
    #expect(item["extensionErrorCode"] == "CHANGE_TOKEN_EXPIRED", "\(item)", sourceLocation: location)
    #expect(item["records"] == .absent && item["syncToken"] == .absent, "\(item)", sourceLocation: location)
}
