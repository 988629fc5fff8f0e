import CloudKit

// Programs put protocols over CloudKit's classes, so that they can be replaced in tests: the signatures must be Apple's
// to the letter. Compiled, not run.

protocol Database {
    var databaseScope: CKDatabase.Scope { get }
    func add(_ operation: CKDatabaseOperation)
    func fetch(withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void)
    func save(_ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void)
    func delete(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, Error?) -> Void)
    func save(_ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, Error?) -> Void)
    func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID, completionHandler: @escaping @Sendable (CKRecordZone?, Error?) -> Void
    )
    func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, Error?) -> Void)
    func save(_ record: CKRecord) async throws -> CKRecord
    func record(for recordID: CKRecord.ID) async throws -> CKRecord
    func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID
    func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?, desiredKeys: [CKRecord.FieldKey]?,
        resultsLimit: Int
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, Error>)], queryCursor: CKQueryOperation.Cursor?
    )
    func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy, atomically: Bool
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, Error>], deleteResults: [CKRecord.ID: Result<Void, Error>]
    )
    func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?, desiredKeys: [CKRecord.FieldKey]?,
        resultsLimit: Int?
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, Error>],
        deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    )
}

protocol Container {
    var containerIdentifier: String? { get }
    var privateCloudDatabase: CKDatabase { get }
    func database(with databaseScope: CKDatabase.Scope) -> CKDatabase
    func add(_ operation: CKOperation)
    func accountStatus() async throws -> CKAccountStatus
    func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, Error?) -> Void)
    func userRecordID() async throws -> CKRecord.ID
    func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, Error?) -> Void)
}

protocol ModifyOperation: AnyObject {
    var database: CKDatabase? { get set }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var configuration: CKOperation.Configuration! { get set }
    var savePolicy: CKModifyRecordsOperation.RecordSavePolicy { get set }
    var isAtomic: Bool { get set }
    var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, Error>) -> Void)? { get set }
    var modifyRecordsResultBlock: ((Result<Void, Error>) -> Void)? { get set }
    var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, Error?) -> Void)? { get set }
    init(recordsToSave: [CKRecord]?, recordIDsToDelete: [CKRecord.ID]?)
}

extension CKDatabase: Database {}
extension CKContainer: Container {}

/// A program's own kind of an operation.
final class RetryingOperation: CKModifyRecordsOperation, @unchecked Sendable {
    var attempts = 0

    override func cancel() {
        attempts = 0
        super.cancel()
    }
}

/// A program's own equality of errors, and its own fields.
extension CKError {
    var isRetryable: Bool {
        [.networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy].contains(code)
    }
}

extension CKRecord {
    convenience init(title: String, zoneID: CKRecordZone.ID) {
        self.init(recordType: "Note", recordID: CKRecord.ID(recordName: title, zoneID: zoneID))
        self["title"] = title
    }

    var title: String {
        get { self["title"] as? String ?? "" }
        set { self["title"] = newValue }
    }
}

extension CKRecord.ID {
    var isInDefaultZone: Bool { zoneID == .default }
}
