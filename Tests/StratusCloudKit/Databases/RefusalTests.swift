import CloudKit
import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct RefusalTests {
    @Test("8, 9: allKeys makes the record, or writes over it", arguments: Door.allCases)
    func allKeys(_ door: Door) async throws {
        let app = try await door.open()
        func save(_ title: String, _ policy: CKModifyRecordsOperation.RecordSavePolicy) async throws {
            let results = try await app.database.modifyRecords(
                saving: [note("a", in: .default, title)], deleting: [], savePolicy: policy
            ).saveResults
            #expect(results.values.allSatisfy { $0.isSuccess })
        }
        try await save("first", .changedKeys)
        try await save("second", .allKeys)
        let record = try await app.database.record(for: CKRecord.ID(recordName: "a"))
        #expect(record["title"] as? String == "second")
    }

    @Test("10: a tag of a record that is not there", arguments: Door.allCases)
    func deletedMeanwhile(_ door: Door) async throws {
        let app = try await door.open()
        let record = try await app.database.save(note("a"))
        try await app.database.deleteRecord(withID: record.recordID)
        record["title"] = "too late"
        #expect(await code { try await app.database.save(record) } == .unknownItem)
    }

    @Test("35: 400 IDs in a fetch and no more", arguments: Door.allCases)
    func manyIDs(_ door: Door) async throws {
        let app = try await door.open()
        let recordIDs = (0...400).map { CKRecord.ID(recordName: "\($0)") }
        #expect(await code { _ = try await app.database.records(for: recordIDs) } == .limitExceeded)
        let found = try await app.database.records(for: Array(recordIDs.dropLast()))
        #expect(found.count == 400 && found.values.allSatisfy { $0.code == .unknownItem })
    }

    @Test("48: who refers to a deleted record with deleteSelf goes with it", arguments: Door.allCases)
    func cascade(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let names = ["a", "b", "c"]
        let records = names.map { note($0, in: zoneID) }
        for (record, target) in zip(records.dropFirst(), records) {
            record["to"] = CKRecord.Reference(record: target, action: .deleteSelf)
        }
        _ = try await app.database.modifyRecords(saving: records, deleting: [])
        let before = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        try await app.database.deleteRecord(withID: records[0].recordID)
        #expect(await code { _ = try await app.database.record(for: records[2].recordID) } == .unknownItem)
        let deletions = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: before).deletions
        #expect(Set(deletions.map(\.recordID.recordName)) == Set(names))
        #expect(deletions.allSatisfy { $0.recordType == "Note" })
    }

    @Test("53: a parent that was deleted meanwhile", arguments: Door.allCases)
    func parentGone(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let (list, item) = (note("list", in: zoneID), note("item", in: zoneID))
        _ = try await app.database.modifyRecords(saving: [list, item], deleting: [])
        try await app.database.deleteRecord(withID: list.recordID)
        item.setParent(list.recordID)
        #expect(await code { try await app.database.save(item) } == .referenceViolation)
    }

    @Test("84: another user's zone through the private database", arguments: Door.allCases)
    func foreignZone(_ door: Door) async throws {
        let app = try await door.open()
        _ = try await app.makeZone()
        let alice = try await app.alice.userRecordID().recordName
        let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: alice)
        let bobs = app.bob.privateCloudDatabase
        #expect(await code { try await bobs.save(note("a", in: zoneID)) } == .invalidArguments)
        let fetch = await code { _ = try await bobs.record(for: CKRecord.ID(recordName: "a", zoneID: zoneID)) }
        #expect(fetch == .invalidArguments)
    }

    @Test("a zone of one's own through the shared database", arguments: Door.allCases)
    func ownZoneAsShared(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let named = CKRecordZone.ID(zoneName: "Notes", ownerName: try await app.alice.userRecordID().recordName)
        let shared = app.alice.sharedCloudDatabase
        for zoneID in [zoneID, named, .default] {
            let fetch = await code { _ = try await shared.record(for: CKRecord.ID(recordName: "a", zoneID: zoneID)) }
            #expect(fetch == .invalidArguments, "\(zoneID)")
            #expect(await code { try await shared.save(note("a", in: zoneID)) } == .invalidArguments, "\(zoneID)")
            #expect(await code { _ = try await shared.recordZone(for: zoneID) } == .invalidArguments, "\(zoneID)")
        }
        do {
            _ = try await shared.record(for: CKRecord.ID(recordName: "a", zoneID: zoneID))
        } catch {
            #expect(error.localizedDescription.contains("Only shared zones can be accessed in the shared DB"))
        }
        // Another's zone that is not shared is not told from one that never was.
        let bobs = CKRecordZone.ID(zoneName: "Notes", ownerName: try await app.bob.userRecordID().recordName)
        let foreign = await code { _ = try await shared.record(for: CKRecord.ID(recordName: "a", zoneID: bobs)) }
        #expect(foreign == .zoneNotFound)
    }

    @Test("91: made and deleted since", arguments: Door.allCases)
    func shortLife(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let before = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        let record = try await app.database.save(note("a", in: zoneID))
        try await app.database.deleteRecord(withID: record.recordID)
        let changes = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: before)
        #expect(changes.modificationResultsByID.isEmpty)
        #expect(changes.deletions.map(\.recordID.recordName) == ["a"])
    }

    @Test("95: the default zone has no feed", arguments: Door.allCases)
    func defaultZone(_ door: Door) async throws {
        let app = try await door.open()
        let refusal = await code {
            _ = try await app.database.recordZoneChanges(inZoneWith: .default, since: nil)
        }
        #expect(refusal == .invalidArguments)
    }

    @Test("103: a token that is none")
    func wrongToken() async throws {
        let tenant = try await Tenant(in: try await Cloud.shared())
        func database(_ apiToken: String, _ webAuthToken: String?) throws -> CKDatabase {
            let transport = HTTPCloudTransport(
                HTTPCloudTransport.Endpoint(
                    server: tenant.cloud.server.url, container: try #require(ContainerIdentifier(tenant.container)),
                    environment: .development, apiToken: apiToken, webAuthToken: webAuthToken),
                http: Database.http)
            return CKContainer(identifier: tenant.container, transport: transport).privateCloudDatabase
        }
        let api = try database(String(repeating: "0", count: 64), tenant.alice.webAuthToken)
        #expect(await code { _ = try await api.allRecordZones() } == .notAuthenticated)
        let session = try database(tenant.apiToken, "nonsense")
        #expect(await code { _ = try await session.allRecordZones() } == .notAuthenticated)
    }
}
