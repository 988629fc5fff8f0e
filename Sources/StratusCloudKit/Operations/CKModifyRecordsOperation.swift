import Foundation

/// Saves and deletes records, 400 together at most.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What a save means for what the server has.
    public enum RecordSavePolicy: Int, Sendable {
        /// Only if the server's record is the one that was fetched.
        case ifServerRecordUnchanged = 0
        /// The changed keys are written, whatever the server has.
        case changedKeys = 1
        /// All keys are written, whatever the server has; keys that only the server has stay.
        case allKeys = 2
    }

    /// The records to save.
    open var recordsToSave: [CKRecord]?
    /// The records to delete.
    open var recordIDsToDelete: [CKRecord.ID]?
    /// What a save means for what the server has.
    open var savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    /// Whether the records of a custom zone are all saved and deleted or none is.
    open var isAtomic = true
    /// The app's own name for what it sends, at most 1,024 bytes; others are refused with `CKError.invalidArguments`. Once
    /// something of it is done in a zone with changes to fetch, fetching that zone's changes gives it back on this device, until the
    /// next one takes its place; so an app that missed the answer finds out whether the server has what it sent. An
    /// operation without one leaves what was given before.
    open var clientChangeTokenData: Data?
    /// Told how much of a record has been sent, 0 to 1.
    open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    /// Told what became of each record to save.
    open var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Told what became of each record to delete.
    open var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one record is not here.
    open var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``perRecordSaveBlock``, before Swift had results. Deprecated at Apple.
    open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    /// As ``modifyRecordsResultBlock``, before Swift had results: with what was saved and deleted, and a partial failure
    /// if some of it was not. Deprecated at Apple.
    open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    private var outcome = ModifyRecordsOutcome()

    /// An operation that saves and deletes nothing yet.
    public override init() { super.init() }

    /// An operation that saves and deletes records.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    override func run() async throws {
        let records = recordsToSave ?? []
        let progress = ProgressRelay(self)
        var events = RecordEvents()
        if perRecordProgressBlock != nil {
            let byID = Dictionary(records.map { ($0.recordID, $0) }) { first, _ in first }
            events.progress = { recordID, share in
                guard let record = byID[recordID] else { return }
                progress.report { ($0 as? CKModifyRecordsOperation)?.perRecordProgressBlock?(record, share) }
            }
        }
        // A long-lived one may be sent again, by this process or another.
        var client = client
        client.requestID = kept?.id
        client.clientChangeToken = clientChangeTokenData.map { Array($0) }
        let outcome: ModifyRecordsOutcome
        do {
            outcome = try await client.modifyRecords(
                saving: records, deleting: recordIDsToDelete ?? [], policy: savePolicy, atomically: isAtomic,
                events: events)
        } catch {
            await progress.end()
            throw error
        }
        await progress.end()
        var told = zip(records, outcome.saves).map { record, save in
            OperationEvent(.saved, save.0, record, save.1.failure)
        }
        told += outcome.deletions.map { OperationEvent(.deleted, $0, $1) }
        await tell(told)
    }

    override func handle(_ event: OperationEvent) async {
        guard let recordID = event.item as? CKRecord.ID else { return }
        switch (event.kind, event.value) {
        case (.saved, let record as CKRecord):
            let result: Result<CKRecord, any Error> = event.error.map { .failure($0) } ?? .success(record)
            outcome.saves.append((recordID, result))
            await call { [self] in
                if let block = perRecordSaveBlock {
                    block(recordID, result)
                } else {
                    perRecordCompletionBlock?(record, result.failure)
                }
            }
        case (.deleted, _):
            outcome.deletions.append((recordID, event.outcome))
            await call { [self] in perRecordDeleteBlock?(recordID, event.outcome) }
        default: break
        }
    }

    override var longLivedName: String? { "ModifyRecords" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: try AssetKeeping.copies(of: recordsToSave ?? [], savePolicy, files), forKey: "RecordsToSave")
        coder.encode(list: recordIDsToDelete, forKey: "RecordIDsToDelete")
        coder.encode(Int64(savePolicy.rawValue), forKey: "SavePolicy")
        coder.encode(isAtomic, forKey: "IsAtomic")
        coder.encode(clientChangeTokenData as NSData?, forKey: "ClientChangeTokenData")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        guard let policy = RecordSavePolicy(rawValue: Int(coder.decodeInt64(forKey: "SavePolicy"))) else {
            return false
        }
        recordsToSave = coder.decodedList([CKRecord.self, CKShare.self], "RecordsToSave")
        recordIDsToDelete = coder.decodedList([CKRecordID.self], "RecordIDsToDelete")
        savePolicy = policy
        isAtomic = coder.decodeBool(forKey: "IsAtomic")
        clientChangeTokenData = coder.decoded(NSData.self, "ClientChangeTokenData") as Data?
        return true
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = modifyRecordsResultBlock {
                block(result)
                return
            }
            let failures = outcome.saves.failures().merging(outcome.deletions.failures()) { first, _ in first }
            modifyRecordsCompletionBlock?(
                outcome.saves.values(), outcome.deletions.names(),
                result.failure ?? NSError.partialFailure(failures, "Failed to modify some records"))
        }
    }
}
