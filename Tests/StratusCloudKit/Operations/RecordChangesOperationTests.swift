import CloudKit
import Testing

@testable import StratusCloudKit

/// Deprecated at Apple, and still in programs.
@Suite struct RecordChangesOperationTests {
    @Test("one zone's changes, a page at a time", arguments: Door.allCases)
    func pages(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        _ = try await app.database.modifyRecords(saving: (0..<3).map { note("n\($0)", in: zoneID) }, deleting: [])
        _ = try await app.database.deleteRecord(withID: .init(recordName: "n2", zoneID: zoneID))
        let diary = Diary()
        var token: CKServerChangeToken?
        var more = true
        while more {
            let operation = CKFetchRecordChangesOperation(recordZoneID: zoneID, previousServerChangeToken: token)
            operation.resultsLimit = 2
            operation.desiredKeys = []
            operation.recordChangedBlock = { diary.note("\($0.recordID.recordName) \($0.allKeys())") }
            operation.recordWithIDWasDeletedBlock = { diary.note("gone \($0.recordName)") }
            let next: CKServerChangeToken? = await withCheckedContinuation { continuation in
                operation.fetchRecordChangesCompletionBlock = { token, _, error in
                    diary.note("end \(error == nil)")
                    continuation.resume(returning: token)
                }
                app.database.add(operation)
            }
            more = operation.moreComing && next != nil
            token = next
        }
        #expect(diary.text.filter { !$0.hasPrefix("end") }.sorted() == ["gone n2", "n0 []", "n1 []"])
        let ends = diary.text.filter { $0.hasPrefix("end") }
        #expect(ends.count >= 2 && Set(ends) == ["end true"])
    }

    @Test("what fails is told at the end", arguments: Door.allCases)
    func failures(_ door: Door) async throws {
        let app = try await door.open()
        let diary = Diary()
        for operation in [
            CKFetchRecordChangesOperation(),
            CKFetchRecordChangesOperation(
                recordZoneID: .init(zoneName: "Absent"), previousServerChangeToken: nil),
        ] {
            operation.fetchRecordChangesCompletionBlock = { token, _, error in
                diary.note("\(token == nil) \((error as? CKError)?.code.rawValue ?? 0)")
            }
            await end(of: operation) { _ in app.database.add(operation) }
        }
        #expect(diary.text == ["true 12", "true 26"])
    }
}
