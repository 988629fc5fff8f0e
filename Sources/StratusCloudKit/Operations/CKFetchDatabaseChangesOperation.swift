import Foundation

/// Fetches which zones of a database changed since a token.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where to go on; nil to begin with all zones there are.
    open var previousServerChangeToken: CKServerChangeToken?
    /// Zones of one page; 0 leaves it to the server.
    open var resultsLimit = 0
    /// Whether to go on until there is no more.
    open var fetchAllChanges = true
    /// Told of each zone that changed.
    open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    /// Told of each zone that is gone.
    open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// Told, instead, of each zone that is gone because the user removed the app's data.
    open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// Told, instead, of each zone that is gone because the user's keys were reset.
    open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// Told of the token of each page but the last.
    open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    /// Told where to go on, and whether there is more.
    open var fetchDatabaseChangesResultBlock:
        ((Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void)?
    /// As ``fetchDatabaseChangesResultBlock``, before Swift had results. Deprecated at Apple.
    open var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    private var last: (serverChangeToken: CKServerChangeToken, moreComing: Bool)?

    /// An operation that begins with all zones there are.
    public override init() { super.init() }

    /// An operation that goes on from a token.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func run() async throws {
        var token = previousServerChangeToken
        while true {
            let page = try await client.databaseChanges(since: token, resultsLimit: resultsLimit)
            for zoneID in page.modifications { await call { [self] in recordZoneWithIDChangedBlock?(zoneID) } }
            for deletion in page.deletions { await call { [self] in block(for: deletion.reason)?(deletion.zoneID) } }
            token = page.token
            last = (page.token, page.moreComing)
            guard page.moreComing, fetchAllChanges else { return }
            await call { [self] in changeTokenUpdatedBlock?(page.token) }
        }
    }

    private func block(
        for reason: CKDatabase.DatabaseChange.Deletion.Reason
    ) -> ((CKRecordZone.ID) -> Void)? {
        switch reason {
        case .deleted: recordZoneWithIDWasDeletedBlock
        case .purged: recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock
        case .encryptedDataReset:
            recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchDatabaseChangesResultBlock {
                block(
                    result.flatMap {
                        last.map { .success($0) }
                            ?? .failure(NSError.cloudKit(.internalError, "There is no answer."))
                    })
            } else {
                fetchDatabaseChangesCompletionBlock?(
                    last?.serverChangeToken, last?.moreComing ?? false, result.failure)
            }
        }
    }
}
