import CloudKit
import StratusTesting
import Testing

@Suite struct StateTests {
    @Test func recordsOfAZone() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.container.privateCloudDatabase
        let missing = await failure { _ = try await cloud.records(in: notes, of: ada) }
        #expect(missing?.code == .zoneNotFound)
        try await database.save(CKRecordZone(zoneID: notes))
        let child = note("b", in: notes)
        child["to"] = CKRecord.Reference(recordID: CKRecord.ID(recordName: "a", zoneID: notes), action: .none)
        _ = try await database.modifyRecords(saving: [note("a", in: notes), child], deleting: [])
        cloud.forgetRequests()
        let records = try await cloud.records(in: notes, of: ada)
        #expect(records.map(\.recordID.recordName) == ["a", "b"])
        #expect((records[1]["to"] as? CKRecord.Reference)?.recordID == records[0].recordID)
        #expect(records[0].recordID.zoneID == notes && records[0].recordChangeTag != nil)
        #expect(try await cloud.zones(of: ada) == [notes])
        #expect(cloud.requests.isEmpty)
    }

    @Test func pagesOfFeedsAsSmallAsWanted() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 2))
        let database = cloud.account("ada").container.privateCloudDatabase
        for name in ["A", "B", "C"] { try await database.save(CKRecordZone(zoneName: name)) }
        let first = try await database.databaseChanges(since: nil)
        #expect(first.modifications.count == 2 && first.moreComing)
        let rest = try await database.databaseChanges(since: first.changeToken)
        #expect(rest.modifications.count == 1 && !rest.moreComing)
        let zoneID = CKRecordZone.ID(zoneName: "A")
        _ = try await database.modifyRecords(saving: ["a", "b", "c"].map { note($0, in: zoneID) }, deleting: [])
        let page = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
        #expect(page.modificationResultsByID.count == 2 && page.moreComing)
        let single = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil, resultsLimit: 1)
        #expect(single.modificationResultsByID.count == 1)
        let many = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil, resultsLimit: 100)
        #expect(many.modificationResultsByID.count == 2)
    }

    @Test("79, 80: a purged zone says so until it is saved again")
    func purge() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: notes))
        try await database.save(note("a", in: notes))
        let before = try await database.databaseChanges(since: nil).changeToken
        try await cloud.purge(zone: notes, of: ada)

        #expect(await failure { try await database.save(note("b", in: notes)) }?.code == .userDeletedZone)
        let fetch = await failure { _ = try await database.record(for: note("a", in: notes).recordID) }
        #expect(fetch?.code == .userDeletedZone)
        #expect(await failure { _ = try await database.recordZone(for: notes) }?.code == .userDeletedZone)
        let feed = await failure { _ = try await database.recordZoneChanges(inZoneWith: notes, since: nil) }
        #expect(feed?.code == .userDeletedZone)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let asked = await failure { _ = try await database.records(matching: query, inZoneWith: notes) }
        #expect(asked?.code == .userDeletedZone)
        let changes = try await database.databaseChanges(since: before)
        #expect(changes.deletions.map(\.zoneID) == [notes])
        #expect(changes.deletions.map(\.reason) == [.purged])

        try await database.save(CKRecordZone(zoneID: notes))
        #expect(try await database.recordZoneChanges(inZoneWith: notes, since: nil).modificationResultsByID.isEmpty)
        #expect(try await cloud.records(in: notes, of: ada).isEmpty)
    }

    @Test func encryptedValuesAreForThePersonsDevicesOnly() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let record = note("a")
        record.encryptedValues["body"] = "only for me"
        try await ada.device("phone").container.privateCloudDatabase.save(record)
        let laptop = ada.device("laptop").container.privateCloudDatabase
        #expect(try await laptop.record(for: record.recordID).encryptedValues["body"] == "only for me")
        let stored = try #require(try await cloud.records(of: ada).first { $0.recordID == record.recordID })
        #expect(stored.encryptedValues.allKeys().isEmpty && stored["title"] == "Hi")
    }

    @Test("93: expired tokens, of zones and of the database")
    func expiredTokens() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: notes))
        let zoneToken = try await database.recordZoneChanges(inZoneWith: notes, since: nil).changeToken
        let token = try await database.databaseChanges(since: nil).changeToken
        _ = try await database.recordZoneChanges(inZoneWith: notes, since: zoneToken)
        cloud.expireChangeTokens()
        let zone = await failure { _ = try await database.recordZoneChanges(inZoneWith: notes, since: zoneToken) }
        #expect(zone?.code == .changeTokenExpired)
        #expect(await failure { _ = try await database.databaseChanges(since: token) }?.code == .changeTokenExpired)
        let fresh = try await database.databaseChanges(since: nil).changeToken
        _ = try await database.databaseChanges(since: fresh)
    }
}
