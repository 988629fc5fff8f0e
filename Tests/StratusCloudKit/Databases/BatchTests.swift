import CloudKit
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct BatchTests {
    @Test("26, 27, 28: atomic batches, zone by zone", arguments: Door.allCases)
    func atomic(_ door: Door) async throws {
        let app = try await door.open()
        let first = try await app.makeZone("First")
        let second = try await app.makeZone("Second")
        let kept = try await app.database.save(note("kept", in: first))
        let stale = try await app.database.save(note("stale", in: first))
        let fresh = try await app.database.record(for: stale.recordID)
        fresh["title"] = "newer"
        try await app.database.save(fresh)
        stale["title"] = "older"
        let results = try await app.database.modifyRecords(
            saving: [stale, note("new", in: first), note("other", in: second)], deleting: [kept.recordID])
        #expect(results.saveResults[stale.recordID]?.code == .serverRecordChanged)
        #expect(results.saveResults[.init(recordName: "new", zoneID: first)]?.code == .batchRequestFailed)
        #expect(results.deleteResults[kept.recordID]?.code == .batchRequestFailed)
        #expect(results.saveResults[.init(recordName: "other", zoneID: second)]?.isSuccess == true)
        #expect(try await app.database.record(for: kept.recordID)["title"] as? String == "Hi")
        #expect(
            await code { _ = try await app.database.record(for: .init(recordName: "new", zoneID: first)) }
                == .unknownItem)
    }

    @Test("29: without atomicity each stands alone", arguments: Door.allCases)
    func independent(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await app.database.save(note("a", in: zoneID))
        let results = try await app.database.modifyRecords(
            saving: [note("a", in: zoneID), note("b", in: zoneID)], deleting: [], atomically: false)
        #expect(results.saveResults[.init(recordName: "a", zoneID: zoneID)]?.code == .serverRecordChanged)
        #expect(results.saveResults[.init(recordName: "b", zoneID: zoneID)]?.isSuccess == true)
    }

    @Test("31: the default zone is not atomic, whatever is asked", arguments: Door.allCases)
    func defaultZone(_ door: Door) async throws {
        let app = try await door.open()
        try await app.database.save(note("a"))
        let results = try await app.database.modifyRecords(saving: [note("a"), note("b")], deleting: [])
        #expect(results.saveResults[.init(recordName: "a")]?.code == .serverRecordChanged)
        #expect(results.saveResults[.init(recordName: "b")]?.isSuccess == true)
    }

    @Test("34, 36: 400 at once and no more", arguments: Door.allCases)
    func limits(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let records = (0...400).map { note("n\($0)", in: zoneID) }
        #expect(
            await code { try await app.database.modifyRecords(saving: records, deleting: []) } == .limitExceeded)
        #expect(
            await code { _ = try await app.database.records(for: records.map(\.recordID)) } == .limitExceeded)
        let saved = try await app.database.modifyRecords(saving: Array(records.prefix(400)), deleting: [])
        #expect(saved.saveResults.count == 400 && saved.saveResults.values.allSucceeded())
        let found = try await app.database.records(for: records.prefix(400).map(\.recordID))
        #expect(found.count == 400 && found.values.allSucceeded())
    }

    @Test("a request has 2 MiB at most", arguments: Door.allCases)
    func size(_ door: Door) async throws {
        let app = try await door.open()
        let records = (0..<3).map { note("n\($0)") }
        for record in records { record["data"] = Data(count: 800_000) }
        #expect(
            await code { try await app.database.modifyRecords(saving: records, deleting: []) } == .limitExceeded)
        let saved = try await app.database.modifyRecords(saving: Array(records.prefix(2)), deleting: [])
        #expect(saved.saveResults.values.allSucceeded())
    }

    @Test("16: the same record twice", arguments: Door.allCases)
    func twice(_ door: Door) async throws {
        let app = try await door.open()
        let (first, second) = (note("a"), note("a"))
        #expect(
            await code { try await app.database.modifyRecords(saving: [first, second], deleting: []) }
                == .invalidArguments)
        #expect(
            await code { try await app.database.modifyRecords(saving: [first], deleting: [first.recordID]) }
                == .invalidArguments)
        #expect(await code { _ = try await app.database.record(for: first.recordID) } == .unknownItem)
    }

    @Test("38: nothing to do is done without a network") func nothing() async throws {
        let container = CKContainer(identifier: "iCloud.x", transport: NoTransport())
        let results = try await container.privateCloudDatabase.modifyRecords(saving: [], deleting: [])
        #expect(results.saveResults.isEmpty && results.deleteResults.isEmpty)
    }

    @Test("42, 43, 44: deleting", arguments: Door.allCases)
    func deleting(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = try await app.database.save(note("a", in: zoneID))
        #expect(try await app.database.deleteRecord(withID: record.recordID) == record.recordID)
        #expect(await code { _ = try await app.database.record(for: record.recordID) } == .unknownItem)
        try await app.database.deleteRecord(withID: .init(recordName: "never", zoneID: zoneID))
        let absent = CKRecord.ID(recordName: "x", zoneID: .init(zoneName: "Absent"))
        #expect(await code { try await app.database.deleteRecord(withID: absent) } == .zoneNotFound)
    }

    @Test("46, 47, 50, 51: parents", arguments: Door.allCases)
    func parents(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let (parent, child) = (note("p", in: zoneID), note("c", in: zoneID))
        child.setParent(parent)
        #expect(await code { try await app.database.save(child) } == .referenceViolation)
        let saved = try await app.database.modifyRecords(saving: [child, parent], deleting: [])
        #expect(saved.saveResults.values.allSucceeded())
        #expect(try await app.database.record(for: child.recordID).parent?.recordID == parent.recordID)
        #expect(await code { try await app.database.deleteRecord(withID: parent.recordID) } == .referenceViolation)
        let deleted = try await app.database.modifyRecords(
            saving: [], deleting: [parent.recordID, child.recordID])
        #expect(deleted.deleteResults.values.allSucceeded())
    }

    @Test("56, 57, 58, 59: fetching", arguments: Door.allCases)
    func fetching(_ door: Door) async throws {
        let app = try await door.open()
        let record = try await app.database.save(note("a"))
        let absent = CKRecord.ID(recordName: "absent")
        let lost = CKRecord.ID(recordName: "x", zoneID: .init(zoneName: "Absent"))
        let results = try await app.database.records(for: [record.recordID, absent, lost], desiredKeys: [])
        #expect(results[absent]?.code == .unknownItem && results[lost]?.code == .zoneNotFound)
        let found = try #require(try results[record.recordID]?.get())
        #expect(found.allKeys().isEmpty && found.recordChangeTag == record.recordChangeTag)
    }

    @Test("100, 102, 107, 108: who may do what", arguments: Door.allCases)
    func permissions(_ door: Door) async throws {
        let app = try await door.open()
        #expect(await code { try await app.nobody.privateCloudDatabase.save(note("a")) } == .notAuthenticated)
        #expect(await code { try await app.nobody.publicCloudDatabase.save(note("a")) } == .notAuthenticated)
        let record = try await app.alice.publicCloudDatabase.save(note("a"))
        #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        let seen = try await app.bob.publicCloudDatabase.record(for: record.recordID)
        #expect(seen.creatorUserRecordID == (try await app.alice.userRecordID()))
        #expect(seen.recordID == record.recordID)
        seen["title"] = "mine"
        #expect(await code { try await app.bob.publicCloudDatabase.save(seen) } == .permissionFailure)
        #expect(try await app.nobody.publicCloudDatabase.record(for: record.recordID)["title"] as? String == "Hi")
        #expect(try await app.nobody.accountStatus() == .noAccount)
        #expect(try await app.alice.accountStatus() == .available)
        #expect(await code { _ = try await app.nobody.userRecordID() } == .notAuthenticated)
    }
}
