import CloudKit
import Foundation
import Testing

@Suite struct SyncBatchTests {
    private typealias Batch = CKSyncEngine.RecordZoneChangeBatch

    private func saves(_ count: Int) -> [CKSyncEngine.PendingRecordZoneChange] {
        (0..<count).map { .saveRecord(SyncApp.id("\($0)")) }
    }

    @Test func aBatchHolds250Changes() async throws {
        let whole = await Batch(pendingChanges: saves(250)) { CKRecord(recordType: "Note", recordID: $0) }
        #expect(whole?.recordsToSave.count == 250)
        let mixed = saves(249) + (0..<20).map { .deleteRecord(SyncApp.id("d\($0)")) }
        let more = await Batch(pendingChanges: mixed) { CKRecord(recordType: "Note", recordID: $0) }
        #expect(more?.recordsToSave.count == 249 && more?.recordIDsToDelete == [SyncApp.id("d0")])
        #expect(more?.atomicByZone == false)
    }

    @Test func aBatchHoldsTwoMebibytes() async throws {
        func batch(_ size: Int) async -> Batch? {
            await Batch(pendingChanges: saves(3)) { recordID in
                let record = CKRecord(recordType: "Note", recordID: recordID)
                record["data"] = Data(count: size - 4)
                return record
            }
        }
        #expect(await batch(1_048_576)?.recordsToSave.count == 2)
        #expect(await batch(1_048_577)?.recordsToSave.count == 1)
        #expect(await batch(3_000_000)?.recordsToSave.count == 1)
    }

    @Test func thereIsNoBatchOfNothing() async throws {
        #expect(await Batch(pendingChanges: []) { _ in nil } == nil)
        #expect(await Batch(pendingChanges: saves(3)) { _ in nil } == nil)
        let one = await Batch(pendingChanges: saves(3)) {
            $0.recordName == "1" ? CKRecord(recordType: "Note", recordID: $0) : nil
        }
        #expect(one?.recordsToSave.map(\.recordID.recordName) == ["1"])
    }

    @Test func aRecordStandsInABatchOnce() async throws {
        let batch = await Batch(pendingChanges: saves(1) + saves(1) + [.deleteRecord(SyncApp.id("0"))]) {
            CKRecord(recordType: "Note", recordID: $0)
        }
        #expect(batch?.recordsToSave.count == 1 && batch?.recordIDsToDelete.isEmpty == true)
    }
}
