import CloudKit
import StratusTesting
import Testing

/// What `CKModifyRecordZonesOperation` tells its older block.
@Suite struct ZonesOperationTests {
    @Test func theOlderBlockHasWhatWasDoneAndAPartialFailure() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.container.privateCloudDatabase
        let gone = try await database.save(CKRecordZone(zoneName: "Gone")).zoneID
        let absent = CKRecordZone.ID(zoneName: "Absent")
        let diary = Diary()
        let operation = CKModifyRecordZonesOperation(
            recordZonesToSave: [CKRecordZone(zoneName: "New")], recordZoneIDsToDelete: [gone, absent])
        operation.modifyRecordZonesCompletionBlock = { saved, deleted, error in
            diary.note("\(saved?.map(\.zoneID.zoneName) ?? []) \(deleted?.map(\.zoneName) ?? [])")
            diary.note("\(partialCodes(of: error, as: CKRecordZone.ID.self) == [absent: .zoneNotFound])")
        }
        await end(of: operation) { _ in database.add(operation) }
        #expect(diary.text == [#"["New"] ["Gone"]"#, "true"])
        #expect(try await cloud.zones(of: ada).map(\.zoneName) == ["New"])
    }

    @Test func withTheNewerBlockTheOlderOneIsNotTold() async throws {
        let database = try await LocalCloud().account("ada").container.privateCloudDatabase
        let diary = Diary()
        let operation = CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "New")])
        operation.modifyRecordZonesCompletionBlock = { _, _, _ in diary.note("older") }
        operation.modifyRecordZonesResultBlock = { diary.note("newer \($0.isSuccess)") }
        await end(of: operation) { _ in database.add(operation) }
        #expect(diary.text == ["newer true"])
    }
}
