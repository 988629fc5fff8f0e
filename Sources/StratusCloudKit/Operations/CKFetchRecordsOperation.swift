import Foundation

/// Fetches records by name, 400 at most.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The records; nil for the current user's.
    open var recordIDs: [CKRecord.ID]?
    /// Fields wanted; nil for all, an empty list for none.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// Told how much of a record has come, 0 to 1: once at least for each record that is found.
    open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    /// Told what became of each record.
    open var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one record is not here.
    open var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``perRecordResultBlock``, before Swift had results. Deprecated at Apple.
    open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    /// As ``fetchRecordsResultBlock``, before Swift had results: with the records, and a partial failure if some are
    /// missing. Deprecated at Apple.
    open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

    private var isAboutCurrentUser = false
    private var results: ItemResults<CKRecord.ID, CKRecord> = []

    /// An operation that fetches nothing yet.
    public required override init() { super.init() }

    /// An operation that fetches records.
    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// An operation that fetches the current user's record.
    open class func fetchCurrentUserRecordOperation() -> Self {
        let operation = Self.init()
        operation.isAboutCurrentUser = true
        return operation
    }

    override func run() async throws {
        let progress = ProgressRelay(self)
        var events = RecordEvents()
        if perRecordProgressBlock != nil {
            events.progress = { recordID, share in
                progress.report { ($0 as? CKFetchRecordsOperation)?.perRecordProgressBlock?(recordID, share) }
            }
        }
        let results: ItemResults<CKRecord.ID, CKRecord>
        do {
            results =
                isAboutCurrentUser
                ? [try await client.currentUserRecord(desiredKeys: desiredKeys, events: events)]
                : try await client.records(for: recordIDs ?? [], desiredKeys: desiredKeys, events: events)
        } catch {
            await progress.end()
            throw error
        }
        await progress.end()
        await tell(results.map { OperationEvent(.fetched, $0, $1) })
    }

    override func handle(_ event: OperationEvent) async {
        guard let recordID = event.item as? CKRecord.ID else { return }
        let result = event.result(CKRecord.self)
        results.append((recordID, result))
        await call { [self] in
            if let block = perRecordResultBlock {
                block(recordID, result)
            } else {
                perRecordCompletionBlock?(try? result.get(), recordID, result.failure)
            }
        }
    }

    override var longLivedName: String? { "FetchRecords" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: recordIDs, forKey: "RecordIDs")
        coder.encode(list: desiredKeys.map { $0.map { $0 as NSString } }, forKey: "DesiredKeys")
        coder.encode(isAboutCurrentUser, forKey: "IsAboutCurrentUser")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        recordIDs = coder.decodedList([CKRecordID.self], "RecordIDs")
        desiredKeys = coder.decodedList([NSString.self], "DesiredKeys")
        isAboutCurrentUser = coder.decodeBool(forKey: "IsAboutCurrentUser")
        return true
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchRecordsResultBlock {
                block(result)
                return
            }
            let records = Dictionary(results.values().map { ($0.recordID, $0) }) { first, _ in first }
            fetchRecordsCompletionBlock?(
                result.failure == nil ? records : nil,
                result.failure ?? NSError.partialFailure(results.failures(), "Failed to fetch some records"))
        }
    }
}
