import Foundation

/// Makes and deletes zones.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to make.
    open var recordZonesToSave: [CKRecordZone]?
    /// The zones to delete.
    open var recordZoneIDsToDelete: [CKRecordZone.ID]?
    /// Told what became of each zone to make.
    open var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// Told what became of each zone to delete.
    open var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one zone is not here.
    open var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``modifyRecordZonesResultBlock``, before Swift had results. Deprecated at Apple.
    open var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    private var outcome = ModifyZonesOutcome()

    /// An operation that does nothing yet.
    public override init() { super.init() }

    /// An operation that makes and deletes zones.
    public convenience init(recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func run() async throws {
        // A long-lived one may be sent again, by this process or another, when the zones are others already.
        var client = client
        client.requestID = kept?.id
        let outcome = try await client.modifyZones(
            saving: recordZonesToSave ?? [], deleting: recordZoneIDsToDelete ?? [])
        var events = outcome.saves.map { OperationEvent(.saved, $0, $1) }
        events += outcome.deletions.map { OperationEvent(.deleted, $0, $1) }
        await tell(events)
    }

    override func handle(_ event: OperationEvent) async {
        guard let zoneID = event.item as? CKRecordZone.ID else { return }
        if event.kind == .saved {
            let result = event.result(CKRecordZone.self)
            outcome.saves.append((zoneID, result))
            await call { [self] in perRecordZoneSaveBlock?(zoneID, result) }
        } else {
            outcome.deletions.append((zoneID, event.outcome))
            await call { [self] in perRecordZoneDeleteBlock?(zoneID, event.outcome) }
        }
    }

    override var longLivedName: String? { "ModifyRecordZones" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: recordZonesToSave, forKey: "RecordZonesToSave")
        coder.encode(list: recordZoneIDsToDelete, forKey: "RecordZoneIDsToDelete")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        recordZonesToSave = coder.decodedList([CKRecordZone.self], "RecordZonesToSave")
        recordZoneIDsToDelete = coder.decodedList([CKRecordZoneID.self], "RecordZoneIDsToDelete")
        return true
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = modifyRecordZonesResultBlock {
                block(result)
                return
            }
            let failures = outcome.saves.failures().merging(outcome.deletions.failures()) { first, _ in first }
            modifyRecordZonesCompletionBlock?(
                outcome.saves.values(), outcome.deletions.names(),
                result.failure ?? NSError.partialFailure(failures, "Failed to modify some record zones"))
        }
    }
}
