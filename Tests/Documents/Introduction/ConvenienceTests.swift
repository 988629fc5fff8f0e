import CloudKit
import StratusTesting
import Testing

/// The introduction's sections on the convenience API: save, fetch, update, with completion handlers.
@Suite struct ConvenienceTests {
    private let cloud: LocalCloud
    private let database: CKDatabase

    init() async throws {
        cloud = try await LocalCloud()
        database = cloud.account("ada").container.publicCloudDatabase
    }

    @Test("A record is saved without saying how or into which zone, and the handler is told")
    func save() async throws {
        let record = CKRecord(recordType: "ReferenceItems")
        record["name"] = "Lamp" as NSString
        let saved = try await answer { database.save(record, completionHandler: $0) }
        #expect(saved?.recordID.zoneID == .default && saved?.recordChangeTag != nil)
    }

    @Test("A failure comes with an error that can be shown")
    func errors() async throws {
        cloud.faults.inject(.offline, on: .saveRecords, times: nil)
        let error = await failure {
            _ = try await answer { database.save(referenceItem("Lamp"), completionHandler: $0) }
        }
        #expect(error?.code == .networkUnavailable && error?.localizedDescription.isEmpty == false)
        #expect(try await cloud.publicRecords().isEmpty)
    }

    @Test("Nothing is kept on the device: a save is sent at once")
    func savesAreSent() async throws {
        _ = try await answer { database.save(referenceItem("Lamp"), completionHandler: $0) }
        #expect(cloud.requests(.saveRecords).count == 1)
        #expect(try await cloud.publicRecords().count == 1)
    }

    @Test("A record is fetched by its identifier, changed and saved again")
    func fetchAndUpdate() async throws {
        try await database.save(referenceItem("Lamp", recordName: "MyRecordName"))
        let recordID = CKRecord.ID(recordName: "MyRecordName")
        let fetched = try await answer { database.fetch(withRecordID: recordID, completionHandler: $0) }
        let record = try #require(fetched)
        record["name"] = "New Name" as NSString
        _ = try await answer { database.save(record, completionHandler: $0) }
        #expect(try await database.record(for: recordID)["name"] == "New Name")
    }
}
