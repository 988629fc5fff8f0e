import Foundation

/// Fetches what changed in one zone since a token, one page at a time. Deprecated at Apple:
/// ``CKFetchRecordZoneChangesOperation`` does the same for many zones.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zone.
    open var recordZoneID: CKRecordZone.ID?
    /// Where to go on; nil to begin with all records there are.
    open var previousServerChangeToken: CKServerChangeToken?
    /// Records of the page; 0 leaves it to the server.
    open var resultsLimit = 0
    /// Fields wanted; nil for all, an empty list for none.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// Told of each record that was saved.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// Told of each record that is gone.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    /// Told where to go on, and what failed. The data is that of the device's latest
    /// ``CKModifyRecordsOperation/clientChangeTokenData`` that the server knows of.
    open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    /// Whether there are more changes than this page's, once the operation has finished.
    public private(set) var moreComing = false
    private var token: CKServerChangeToken?
    private var clientChangeToken: Data?

    /// An operation that fetches nothing yet.
    public override init() { super.init() }

    /// An operation that fetches the changes of a zone.
    public convenience init(recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func run() async throws {
        guard let recordZoneID else { throw NSError.cloudKit(.invalidArguments, "The operation has no zone.") }
        let question = ZoneChangesQuestion(
            zoneID: recordZoneID, token: previousServerChangeToken, resultsLimit: resultsLimit,
            desiredKeys: desiredKeys)
        guard let page = try await client.zoneChanges([question]).first?.1.get() else { return }
        for (_, result) in page.modifications {
            let record = try result.get()
            await call { [self] in recordChangedBlock?(record) }
        }
        for deletion in page.deletions { await call { [self] in recordWithIDWasDeletedBlock?(deletion.recordID) } }
        (token, clientChangeToken, moreComing) = (page.token, page.clientChangeToken, page.moreComing)
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in fetchRecordChangesCompletionBlock?(token, clientChangeToken, result.failure) }
    }
}
