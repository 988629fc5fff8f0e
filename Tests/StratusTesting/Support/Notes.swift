import CloudKit

/// A note without a change tag.
func note(_ name: String, in zoneID: CKRecordZone.ID = .default, _ title: String = "Hi") -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = title
    return record
}

let notes = CKRecordZone.ID(zoneName: "Notes")

/// The error that `body` fails with, if it is one of CloudKit.
func failure(of body: () async throws -> Void) async -> CKError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? CKError
    }
}

extension Result {
    /// The code of the error, if it is one of CloudKit.
    var code: CKError.Code? { if case .failure(let error) = self { (error as? CKError)?.code } else { nil } }
}
