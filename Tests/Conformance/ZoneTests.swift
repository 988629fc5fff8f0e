import StratusTestSupport
import Testing

/// Zones.
@Suite("Zones")
struct ZoneTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Zones")
        database = tenant.privateDatabase
    }

    private func list(_ database: Database) async throws -> [String] {
        try await database.get("zones/list").zones.compactMap { $0["zoneID"]["zoneName"].string }
    }

    private func expectZone(_ zone: JSON, _ name: String, at location: SourceLocation = #_sourceLocation) {
        let isDefault = name == "_defaultZone"
        #expect(zone["zoneID"]["zoneName"].string == name, "\(zone)", sourceLocation: location)
        #expect(
            zone["zoneID"]["ownerRecordName"].string == tenant.alice.userRecordName, "\(zone)", sourceLocation: location
        )
        #expect(
            zone["zoneID"]["zoneType"].string == (isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"), "\(zone)",
            sourceLocation: location)
        #expect(zone["syncToken"].string?.isEmpty == false, "\(zone)", sourceLocation: location)
        #expect(zone["atomic"].bool == !isDefault, "\(zone)", sourceLocation: location)
    }

    private func expectZoneFailed(_ answer: Answer, _ code: String, at location: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 200, "\(answer)", sourceLocation: location)
        let item = answer.zones.first ?? .absent
        #expect(item["serverErrorCode"].string == code, "\(answer)", sourceLocation: location)
        #expect(item["reason"].string?.isEmpty == false, "\(answer)", sourceLocation: location)
        #expect(item["zoneID"]["zoneName"].string != nil, "\(answer)", sourceLocation: location)
    }

    @Test("Case 74: a new zone is made and returned, with what it can do (case 33)")
    func case74() async throws {
        let name = Unique.name("Zone")
        let answer = try await database.zone("create", name)
        #expect(answer.status == 200)
        #expect(answer.zones.count == 1)
        expectZone(answer.zones.first ?? .absent, name)
        let found = try await database.post("zones/lookup", ["zones": [["zoneName": .string(name)]]])
        expectZone(found.zones.first ?? .absent, name)
    }

    @Test("Case 75: making a zone again keeps its contents")
    func case75() async throws {
        let zone = try await database.makeZone()
        let record = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        expectZone(try await database.zone("create", zone).zones.first ?? .absent, zone)
        try await expectUnchanged(record, in: database, zone: zone)
        #expect(try await list(database).filter { $0 == zone }.count == 1)
    }

    @Test("Case 76: deleting an absent zone fails as not found")
    func case76() async throws {
        expectZoneFailed(try await database.zone("delete", Unique.name("Zone")), "ZONE_NOT_FOUND")
    }

    @Test("Case 77: with a zone all its records go, and do not come back with its name")
    func case77() async throws {
        let zone = try await database.makeZone()
        let type = Unique.name("Zoned")
        let changes = (0..<50).map { Change.create(type, "r\($0)", Fields.untyped(["n": .int($0)])) }
        expectSaved(try await database.modify(changes, zone: zone), count: 50)
        let outside = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["n": 0])))
        let deleted = try await database.zone("delete", zone)
        #expect(deleted.zones.first?["deleted"] == true, "\(deleted)")
        #expect(deleted.zones.first?["zoneID"]["zoneName"].string == zone)
        #expect(try await list(database).contains(zone) == false)
        expectFailed(try await database.find("r1", zone: zone), "ZONE_NOT_FOUND")
        expectRefused(try await database.query(type, zone: zone), 404, "ZONE_NOT_FOUND", zone)
        _ = try await database.zone("create", zone)
        try await expectAbsent("r1", in: database, zone: zone)
        #expect(try await database.queryAll(type, zone: zone) == [])
        let zoneWide = try await database.queryAll(type, ["zoneWide": true])
        #expect(zoneWide.map(\.name) == [outside.name])
    }

    @Test("Case 78: saves into an absent zone fail one by one", arguments: ["create", "forceUpdate", "forceReplace"])
    func case78(kind: String) async throws {
        let zone = Unique.name("Zone")
        let changes = (0..<2).map { _ in Change.make(kind, Unique.name("r"), type: "Note", [:]) }
        let answer = try await database.modify(changes, zone: zone)
        #expect(answer.status == 200)
        #expect(answer.records.count == 2)
        for item in answer.records { expectFailed(item, "ZONE_NOT_FOUND", zone) }
        #expect(try await list(database).contains(zone) == false)
    }

    @Test("Case 81: the private database lists its default zone and the custom ones")
    func case81() async throws {
        let zone = try await database.makeZone()
        let answer = try await database.get("zones/list")
        for name in ["_defaultZone", zone] {
            let listed = answer.zones.first { $0["zoneID"]["zoneName"].string == name }
            expectZone(listed ?? .absent, name)
        }
        #expect(try await list(tenant.bobsPrivateDatabase).contains(zone) == false)
    }

    @Test("Case 82: the shared database lists nothing while nothing is shared")
    func case82() async throws {
        let answer = try await tenant.database("shared", tenant.credential(of: tenant.alice)).get("zones/list")
        #expect(answer.status == 200)
        #expect(answer.json["zones"] == [])
    }

    @Test("Case 83: no zones are made or deleted in the public database", arguments: ["create", "delete"])
    func case83(kind: String) async throws {
        let database = tenant.publicDatabase
        let record = try await database.save(Change.create("Note", Unique.name("r")))
        for name in [Unique.name("Zone"), "_defaultZone"] {
            expectZoneFailed(try await database.zone(kind, name), "BAD_REQUEST")
        }
        #expect(try await list(database) == ["_defaultZone"])
        try await expectUnchanged(record, in: database)
    }

    @Test("The default zone and the system's zones are neither made nor deleted", arguments: ["create", "delete"])
    func systemZones(kind: String) async throws {
        let record = try await database.save(Change.create("Note", Unique.name("r")))
        for name in ["_defaultZone", "_anything"] {
            expectZoneFailed(try await database.zone(kind, name), "BAD_REQUEST")
        }
        try await expectUnchanged(record, in: database)
        #expect(try await list(database).contains("_anything") == false)
    }

    @Test("Case 84: another owner's zone is out of reach in the private database")
    func case84() async throws {
        let zone = try await database.makeZone()
        let record = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        let zoneID: JSON = ["zoneName": .string(zone), "ownerRecordName": .string(tenant.alice.userRecordName)]
        let bob = tenant.bobsPrivateDatabase
        let words = "PrivateDB can't be used to access another user's zone"
        let bodies: [(String, JSON)] = [
            ("records/modify", ["zoneID": zoneID, "operations": [Change.forceDelete(record.name)]]),
            ("records/lookup", ["zoneID": zoneID, "records": [["recordName": record["recordName"]]]]),
            ("records/query", ["zoneID": zoneID, "query": ["recordType": "Note"]]),
            ("zones/lookup", ["zones": [zoneID]]),
            ("zones/modify", ["operations": [["operationType": "delete", "zone": ["zoneID": zoneID]]]]),
        ]
        for (action, body) in bodies {
            let answer = try await bob.post(action, body)
            let item = answer.status == 200 ? answer.records.first ?? answer.zones.first ?? .absent : answer.json
            #expect(item["serverErrorCode"] == "BAD_REQUEST", "\(answer)")
            #expect(item["reason"].string?.contains(words) == true, "\(answer)")
            #expect(item["fields"] == .absent, "\(answer)")
        }
        try await expectUnchanged(record, in: database, zone: zone)
    }

    @Test("The caller's own name, and the words that mean it, name the caller's zones")
    func ownerSpellings() async throws {
        let zone = try await database.makeZone()
        let record = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        for key in ["ownerRecordName", "ownerName"] {
            for owner in [tenant.alice.userRecordName, "__defaultOwner__", "_defaultOwner", ""] {
                let zoneID: JSON = ["zoneName": .string(zone), key: .string(owner)]
                let answer = try await database.post(
                    "records/lookup", ["zoneID": zoneID, "records": [["recordName": record["recordName"]]]])
                #expect(answer.records.first?["recordChangeTag"] == record["recordChangeTag"], "\(answer)")
            }
        }
    }

    @Test("Case 85: records name their zones completely wherever they name them")
    func case85() async throws {
        let zone = try await database.makeZone()
        let record = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        let found = try await database.find(record.name, zone: zone)
        #expect(found["zoneID"]["zoneName"].string == zone)
        #expect(found["zoneID"]["ownerRecordName"].string == tenant.alice.userRecordName)
        #expect(found["zoneID"]["zoneType"] == "REGULAR_CUSTOM_ZONE")
    }

    @Test("Case 86: zones/list answers GET, POST with {} and POST without a body alike")
    func case86() async throws {
        // A tenant of its own, since other tests make zones in this one.
        let database = try await Tenant.shared("Zones, alone").privateDatabase
        _ = try await database.makeZone()
        let get = try await database.get("zones/list")
        let post = try await database.post("zones/list", [:])
        let empty = try await database.send("POST", path: database.path("zones/list"))
        let getWithBody = try await database.send("GET", path: database.path("zones/list"), body: Array("{}".utf8))
        #expect(get.zones.count == 2, "\(get)")
        for answer in [post, empty, getWithBody] {
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.json == get.json, "\(answer)")
        }
    }

    @Test("zones/lookup takes bare and wrapped names and answers in order")
    func lookup() async throws {
        let zone = try await database.makeZone()
        let absent = Unique.name("Zone")
        let body: JSON = [
            "zones": [
                ["zoneName": .string(absent)], ["zoneID": ["zoneName": .string(zone)]], ["zoneName": "_defaultZone"],
            ]
        ]
        let answer = try await database.post("zones/lookup", body)
        #expect(answer.zones.count == 3, "\(answer)")
        expectZoneFailed(answer, "ZONE_NOT_FOUND")
        expectZone(answer.zones[1], zone)
        expectZone(answer.zones[2], "_defaultZone")
    }

    @Test("Operations of one zones/modify stand alone")
    func several() async throws {
        let (new, absent) = (Unique.name("Zone"), Unique.name("Zone"))
        let old = try await database.makeZone()
        let operations = [("create", new), ("delete", absent), ("delete", old)].map { kind, name -> JSON in
            ["operationType": .string(kind), "zone": ["zoneID": ["zoneName": .string(name)]]]
        }
        let answer = try await database.post("zones/modify", ["operations": .array(operations)])
        #expect(answer.zones.map { $0["zoneID"]["zoneName"].string } == [new, absent, old], "\(answer)")
        #expect(answer.zones[1]["serverErrorCode"] == "ZONE_NOT_FOUND")
        let names = try await list(database)
        #expect(names.contains(new) && !names.contains(old))
    }

    @Test("A zone's sync token changes with every change in it")
    func syncTokens() async throws {
        let zone = try await database.makeZone()
        func token() async throws -> String? {
            let body: JSON = ["zones": [["zoneName": .string(zone)]]]
            return try await database.post("zones/lookup", body).zones.first?["syncToken"].string
        }
        let first = try await token()
        let record = try await database.save(Change.create("Note", Unique.name("r")), zone: zone)
        let second = try await token()
        _ = try await database.modify([Change.delete(record)], zone: zone)
        let third = try await token()
        #expect(Set([first, second, third]).count == 3)
    }
}
