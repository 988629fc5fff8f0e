import StratusCloudKit

/// The answer to a batch.
struct SentChanges: Sendable {
    var saved: [CKRecord] = []
    var deleted: [CKRecord.ID] = []
    var failedSaves: [CKRecord.ID: CKError] = [:]
    var failedDeletions: [CKRecord.ID: CKError] = [:]

    /// Takes over the report of a sync engine.
    init(_ event: CKSyncEngine.Event.SentRecordZoneChanges) {
        (saved, deleted) = (event.savedRecords, event.deletedRecordIDs)
        failedSaves = Dictionary(
            event.failedRecordSaves.map { ($0.record.recordID, $0.error) }, uniquingKeysWith: { first, _ in first })
        failedDeletions = event.failedRecordDeletes
    }

    /// Takes over the results of an operation.
    init(
        _ saves: [CKRecord.ID: Result<CKRecord, any Error>], _ deletions: [CKRecord.ID: Result<Void, any Error>]
    ) {
        for (recordID, result) in saves {
            switch result {
            case .success(let record): saved.append(record)
            case .failure(let error): failedSaves[recordID] = CKError(any: error)
            }
        }
        for (recordID, result) in deletions {
            switch result {
            case .success: deleted.append(recordID)
            case .failure(let error): failedDeletions[recordID] = CKError(any: error)
            }
        }
    }

    /// The errors of all records that failed.
    var errors: [CKRecord.ID: CKError] { failedSaves.merging(failedDeletions) { first, _ in first } }

    /// Returns the records that failed with a code.
    func failed(with code: CKError.Code) -> [CKRecord.ID] { errors.filter { $0.value.code == code }.map(\.key) }
}
