import CloudKit
import StratusTesting
import Testing

/// Ten thousand records: too many for an operation, and nothing special for a zone.
@Suite struct ManyRecordsTests {
    private static let count = 10_000
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let zoneID: CKRecordZone.ID
    private let records: [CKRecord]
    private var database: CKDatabase { ada.container.privateCloudDatabase }

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
        let zoneID = try await ada.container.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes")).zoneID
        self.zoneID = zoneID
        records = (0..<Self.count).map { note("n\($0)", in: zoneID, "\($0)") }
    }

    @Test func oneOperationIsRefusedWithoutARequest() async throws {
        cloud.forgetRequests()
        let diary = Diary()
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        operation.perRecordSaveBlock = { recordID, _ in diary.note(recordID.recordName) }
        let refusal = await #expect(throws: CKError.self) { try await finish(operation, in: database) }
        #expect(refusal?.code == .limitExceeded)
        #expect(refusal?.localizedDescription.contains("\(Self.count)") == true)
        #expect(diary.text.isEmpty && cloud.requests(.saveRecords).isEmpty)
        #expect(try await cloud.records(in: zoneID, of: ada).isEmpty)
        #expect(records.allSatisfy { $0.recordChangeTag == nil })
    }

    @Test func operationsOfTheGreatestSizeBringThemAll() async throws {
        for start in stride(from: 0, to: Self.count, by: 400) {
            let part = Array(records[start..<min(start + 400, Self.count)])
            try await finish(CKModifyRecordsOperation(recordsToSave: part), in: database)
        }
        #expect(cloud.requests(.saveRecords).count == Self.count / 400)
        let stored = try await cloud.records(in: zoneID, of: ada)
        #expect(stored.count == Self.count)
        #expect(stored.allSatisfy { "n\($0["title"] as? String ?? "")" == $0.recordID.recordName })
        #expect(Set(stored.map(\.recordID)) == Set(records.map(\.recordID)))
    }
}
