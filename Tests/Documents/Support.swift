import CloudKit
import StratusTesting

/// The error that `body` fails with, if it is one of CloudKit.
func failure(of body: () async throws -> Void) async -> CKError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? CKError
    }
}

/// Waits for the value or the error that a call gives to its completion handler.
func answer<Value: Sendable>(
    _ call: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async throws -> Value? {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value?, any Error>) in
        call { value, error in
            if let error {
                continuation.resume(throwing: error)
            } else {
                continuation.resume(returning: value)
            }
        }
    }
}

/// A record of the introduction's example type.
func referenceItem(_ name: String, recordName: String? = nil, in zoneID: CKRecordZone.ID = .default) -> CKRecord {
    let recordID = CKRecord.ID(recordName: recordName ?? UUID().uuidString, zoneID: zoneID)
    let record = CKRecord(recordType: "ReferenceItems", recordID: recordID)
    record["name"] = name
    return record
}
