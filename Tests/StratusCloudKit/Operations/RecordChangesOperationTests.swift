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
        let names = Set(diary.text.filter { !$0.hasPrefix("end") })
        #expect(names == ["n0 []", "n1 []", "n2 []"] && diary.text.filter { $0 == "end true" }.count >= 2)
        try await app.database.deleteRecord(withID: .init(recordName: "n2", zoneID: zoneID))
        let last = CKFetchRecordChangesOperation(recordZoneID: zoneID, previousServerChangeToken: token)
        last.recordWithIDWasDeletedBlock = { diary.note("gone \($0.recordName)") }
        await end(of: last) { _ in app.database.add(last) }
        #expect(diary.text.last == "gone n2" && !last.moreComing)
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
