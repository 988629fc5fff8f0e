import CloudKit
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct ZoneAndChangeTests {
    @Test("33, 75, 81: zones", arguments: Door.allCases)
    func zones(_ door: Door) async throws {
        let app = try await door.open()
        let zone = try await app.database.save(CKRecordZone(zoneName: "Notes"))
        #expect(zone.capabilities == [.atomic, .fetchChanges, .sharing, .zoneWideSharing])
        #expect(zone.zoneID.ownerName == CKCurrentUserDefaultName)
        try await app.database.save(CKRecordZone(zoneName: "Notes"))
        let all = try await app.database.allRecordZones()
        #expect(Set(all.map(\.zoneID)) == [.default, zone.zoneID])
        #expect(all.first { $0.zoneID == .default }?.capabilities == [])
        #expect(try await app.database.recordZone(for: zone.zoneID).zoneID == zone.zoneID)
        #expect(CKRecordZone(zoneName: "x").capabilities == [])
    }

    @Test("what a zone says of its encryption stays with the object", arguments: Door.allCases)
    func encryptionScope(_ door: Door) async throws {
        let app = try await door.open()
        let zone = CKRecordZone(zoneName: "Notes")
        #expect(zone.encryptionScope == .perRecord)
        zone.encryptionScope = .perZone
        #expect((zone.copy() as? CKRecordZone)?.encryptionScope == .perZone)
        let data = try NSKeyedArchiver.archivedData(withRootObject: zone, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecordZone.self, from: data)
        #expect(read?.encryptionScope == .perZone)
        try await app.database.save(zone)
        #expect(zone.encryptionScope == .perZone)
        // The server is not told: each zone has keys of its own, and records of one can be shared in either case.
        let stored = try await app.database.recordZone(for: zone.zoneID)
        #expect(stored.encryptionScope == .perRecord)
        #expect(stored.capabilities.isSuperset(of: [.sharing, .zoneWideSharing]))
    }

    @Test("76, 77, 78: zones that are not there", arguments: Door.allCases)
    func absent(_ door: Door) async throws {
        let app = try await door.open()
        let absent = CKRecordZone.ID(zoneName: "Absent")
        #expect(await code { _ = try await app.database.recordZone(for: absent) } == .zoneNotFound)
        #expect(await code { try await app.database.deleteRecordZone(withID: absent) } == .zoneNotFound)
        #expect(await code { try await app.database.save(note("a", in: absent)) } == .zoneNotFound)
        let zoneID = try await app.makeZone()
        try await app.database.save(note("a", in: zoneID))
        try await app.database.deleteRecordZone(withID: zoneID)
        #expect(
            await code { _ = try await app.database.record(for: .init(recordName: "a", zoneID: zoneID)) }
                == .zoneNotFound)
    }

    @Test("82, 83: other databases", arguments: Door.allCases)
    func otherDatabases(_ door: Door) async throws {
        let app = try await door.open()
        #expect(try await app.alice.sharedCloudDatabase.allRecordZones().isEmpty)
        let zone = CKRecordZone(zoneName: "Z")
        #expect(await code { try await app.alice.publicCloudDatabase.save(zone) } == .badDatabase)
        #expect(await code { try await app.alice.sharedCloudDatabase.save(zone) } == .badDatabase)
        #expect(
            await code { _ = try await app.alice.publicCloudDatabase.databaseChanges(since: nil) } == .badDatabase)
    }

    @Test("87, 88, 89, 90, 92: a zone's changes", arguments: Door.allCases)
    func zoneChanges(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let records = (0..<5).map { note("n\($0)", in: zoneID) }
        _ = try await app.database.modifyRecords(saving: records, deleting: [])
        var found: Set<CKRecord.ID> = []
        var token: CKServerChangeToken?
        var pages = 0
        while true {
            let page = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: token, resultsLimit: 2)
            #expect(page.modificationResultsByID.count <= 2)
            found.formUnion(page.modificationResultsByID.keys)
            token = page.changeToken
            pages += 1
            guard page.moreComing else { break }
        }
        #expect(found == Set(records.map(\.recordID)) && pages >= 3)
        let quiet = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: token)
        #expect(quiet.modificationResultsByID.isEmpty && quiet.deletions.isEmpty && !quiet.moreComing)
        for title in ["x", "y"] {
            records[0]["title"] = title
            try await app.database.save(records[0])
        }
        try await app.database.deleteRecord(withID: records[1].recordID)
        let changes = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: token, desiredKeys: ["title"])
        #expect(changes.modificationResultsByID.count == 1)
        let changed = try #require(try changes.modificationResultsByID[records[0].recordID]?.get().record)
        #expect(changed["title"] as? String == "y")
        #expect(changes.deletions == [.init(recordID: records[1].recordID, recordType: "Note")])
    }

    @Test("93, 98, 99: tokens", arguments: Door.allCases)
    func tokens(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let token = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data))
        #expect(read == token)
        _ = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: read)
        let databaseToken = try await app.database.databaseChanges(since: nil).changeToken
        #expect(
            await code { _ = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: databaseToken) }
                == .changeTokenExpired)
        try await app.database.deleteRecordZone(withID: zoneID)
        _ = try await app.makeZone()
        #expect(
            await code { _ = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: token) }
                == .changeTokenExpired)
    }

    @Test("77, 94, 96: a database's changes", arguments: Door.allCases)
    func databaseChanges(_ door: Door) async throws {
        let app = try await door.open()
        let (first, second) = (try await app.makeZone("A"), try await app.makeZone("B"))
        let all = try await app.database.databaseChanges(since: nil)
        #expect(Set(all.modifications.map(\.zoneID)) == [first, second] && all.deletions.isEmpty)
        try await app.database.save(note("a", in: first))
        try await app.database.deleteRecordZone(withID: second)
        let changes = try await app.database.databaseChanges(since: all.changeToken)
        #expect(changes.modifications == [.init(zoneID: first)])
        #expect(changes.deletions == [.init(zoneID: second, reason: .deleted)] && !changes.moreComing)
        #expect(
            await code { _ = try await app.database.recordZoneChanges(inZoneWith: second, since: nil) }
                == .zoneNotFound)
    }
}
