import CloudKit
import StratusTesting
import Testing

@Suite struct RequestTests {
    @Test func whoAskedWhatAndWhatBecameOfIt() async throws {
        let cloud = try await LocalCloud()
        let phone = cloud.account("ada").device("phone")
        let database = phone.container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: notes))
        let (a, b) = (note("a", in: notes), note("b", in: notes))
        _ = try await database.modifyRecords(saving: [a], deleting: [b.recordID])
        _ = await failure { _ = try await database.record(for: b.recordID) }
        try await phone.container.publicCloudDatabase.save(note("c"))

        let requests = cloud.requests
        #expect(requests.map(\.calls) == [.saveZones, [.saveRecords, .deleteRecords], .fetchRecords, .saveRecords])
        #expect(requests.map(\.id) == [1, 2, 3, 4])
        #expect(requests.allSatisfy { $0.account == "ada" && $0.device == "phone" })
        #expect(requests[0].zoneIDs == [notes])
        #expect(requests[1].recordIDs == [a.recordID, b.recordID] && requests[1].error == nil)
        #expect(requests[2].error?.code == .unknownItem)
        #expect(requests.map(\.databaseScope) == [.private, .private, .private, .public])
        #expect(requests[2].description == "#3 ada/phone fetchRecords b: 1 failed")
        #expect(cloud.requests(.writes).count == 3)
        cloud.forgetRequests()
        #expect(cloud.requests.isEmpty)
    }

    @Test func theOldestAreForgotten() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.publicCloudDatabase
        for _ in 0...LocalCloud.requestsKept { _ = try await database.records(for: [CKRecord.ID(recordName: "x")]) }
        #expect(cloud.requests.count <= LocalCloud.requestsKept)
        #expect(cloud.requests.last?.id == LocalCloud.requestsKept + 1)
    }
}
