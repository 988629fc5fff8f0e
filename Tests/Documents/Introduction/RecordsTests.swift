import CloudKit
import StratusTesting
import Testing

/// The introduction's sections on records, zones and record identifiers.
@Suite struct RecordsTests {
    private let cloud: LocalCloud
    private let database: CKDatabase

    init() async throws {
        cloud = try await LocalCloud()
        database = cloud.account("ada").container.privateCloudDatabase
    }

    @Test("A record type needs no declaration before its first record is saved")
    func schemaComesWithTheRecord() async throws {
        let record = CKRecord(recordType: "NeverSeen")
        record["anything"] = "goes"
        try await database.save(record)
        record["more"] = 7
        #expect(try await database.save(record)["more"] == 7)
    }

    @Test("A record says when it was created and changed, and by whom")
    func metadata() async throws {
        let container = cloud.account("ada").container
        let before = Date(timeIntervalSinceNow: -60)
        let saved = try await database.save(referenceItem("Lamp"))
        let user = try await container.userRecordID()
        #expect(try #require(saved.creationDate) > before)
        #expect(saved.creationDate == saved.modificationDate)
        for creator in [saved.creatorUserRecordID, saved.lastModifiedUserRecordID] {
            #expect(creator?.recordName == CKCurrentUserDefaultName || creator == user)
        }
        saved["name"] = "Chair"
        let changed = try await database.save(saved)
        #expect(changed.creationDate == saved.creationDate)
        let (created, modified) = (try #require(changed.creationDate), try #require(changed.modificationDate))
        #expect(modified >= created)
    }

    @Test("A change tag tells whether client and server have the same revision")
    func changeTags() async throws {
        let first = try await database.save(referenceItem("Lamp", recordName: "lamp"))
        let tag = try #require(first.recordChangeTag)
        #expect(try await database.record(for: first.recordID).recordChangeTag == tag)
        let other = try await database.record(for: first.recordID)
        other["name"] = "Chair"
        #expect(try await database.save(other).recordChangeTag != tag)
        let outdated = referenceItem("Table", recordName: "lamp")
        #expect(await failure { try await database.save(outdated) }?.code == .serverRecordChanged)
    }

    @Test("Fields hold texts, numbers, data, dates, locations, references and assets, and lists of one kind")
    func fieldTypes() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("large".utf8).write(to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let target = CKRecord.ID(recordName: "target")
        let record = CKRecord(recordType: "Everything", recordID: CKRecord.ID(recordName: "everything"))
        record["text"] = "Lamp" as NSString
        record["number"] = 3.5 as NSNumber
        record["data"] = Data([1, 2]) as NSData
        record["date"] = date as NSDate
        record["place"] = CLLocation(latitude: 37.783, longitude: -122.404)
        record["reference"] = CKRecord.Reference(recordID: target, action: .none)
        record["asset"] = CKAsset(fileURL: directory)
        record["texts"] = ["a", "b"]
        record["numbers"] = [1, 2]
        record["dates"] = [date]
        record["places"] = [CLLocation(latitude: 1, longitude: 2)]
        record["references"] = [CKRecord.Reference(recordID: target, action: .none)]
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        #expect(
            read["text"] == "Lamp" && read["number"] == 3.5 && read["data"] == Data([1, 2]) && read["date"] == date)
        #expect((read["place"] as? CLLocation)?.coordinate.latitude == 37.783)
        #expect((read["reference"] as? CKRecord.Reference)?.recordID == target)
        #expect((read["texts"] as? [String]) == ["a", "b"] && (read["numbers"] as? [Int]) == [1, 2])
        #expect((read["dates"] as? [Date]) == [date] && (read["places"] as? [CLLocation])?.count == 1)
        #expect((read["references"] as? [CKRecord.Reference])?.map(\.recordID) == [target])
        let url = try #require((read["asset"] as? CKAsset)?.fileURL)
        #expect(try Data(contentsOf: url) == Data("large".utf8))
    }

    @Test("Every database has the default zone, and records lie there unless they say otherwise")
    func defaultZone() async throws {
        let saved = try await database.save(CKRecord(recordType: "ReferenceItems"))
        #expect(saved.recordID.zoneID == CKRecordZone.default().zoneID)
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
        #expect(saved.recordID == CKRecord.ID(recordName: saved.recordID.recordName))
    }

    @Test("A custom zone commits a batch as a whole and has a feed of its changes")
    func customZones() async throws {
        let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
        let first = try await database.save(referenceItem("Lamp", recordName: "lamp", in: zone.zoneID))
        let token = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil).changeToken
        let conflict = referenceItem("Chair", recordName: "lamp", in: zone.zoneID)
        let fresh = referenceItem("Table", recordName: "table", in: zone.zoneID)
        let results = try await database.modifyRecords(saving: [conflict, fresh], deleting: []).saveResults
        #expect((results[fresh.recordID].flatMap { try? $0.get() }) == nil)
        first["name"] = "Bulb"
        try await database.save(first)
        let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
        #expect(changes.modificationResultsByID.keys.map(\.recordName) == ["lamp"])
    }

    @Test("The client names its records, for instance after keys of a database of its own; else a UUID does")
    func identifiers() async throws {
        let bridged = try await database.save(referenceItem("Lamp", recordName: "row-4711"))
        #expect(try await database.record(for: CKRecord.ID(recordName: "row-4711"))["name"] == "Lamp")
        #expect(bridged.recordID.recordName == "row-4711")
        #expect(UUID(uuidString: CKRecord(recordType: "ReferenceItems").recordID.recordName) != nil)
    }

    @Test("A record's identifier says its zone: the same name in two zones is two records")
    func identifiersNameTheZone() async throws {
        let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
        try await database.save(referenceItem("Lamp", recordName: "a"))
        try await database.save(referenceItem("Chair", recordName: "a", in: zone.zoneID))
        #expect(try await database.record(for: CKRecord.ID(recordName: "a"))["name"] == "Lamp")
        #expect(try await database.record(for: CKRecord.ID(recordName: "a", zoneID: zone.zoneID))["name"] == "Chair")
    }
}
