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
            token = page.token
            let goesOn = page.moreComing && fetchAllChanges
            var events = page.modifications.map { OperationEvent(.changed, $0) }
            events += page.deletions.map { OperationEvent(.gone, $0.zoneID, text: $0.reason.archiveName) }
            events.append(
                OperationEvent(.token, nil, page.token, text: goesOn ? "page" : nil, isMoreComing: page.moreComing))
            await tell(events)
            guard goesOn else { return }
        }
    }

    override func handle(_ event: OperationEvent) async {
        switch (event.kind, event.item, event.value) {
        case (.changed, let zoneID as CKRecordZone.ID, _):
            await call { [self] in recordZoneWithIDChangedBlock?(zoneID) }
        case (.gone, let zoneID as CKRecordZone.ID, _):
            await call { [self] in block(for: .init(archiveName: event.text))?(zoneID) }
        case (.token, _, let token as CKServerChangeToken):
            last = (token, event.isMoreComing)
            if event.text != nil { await call { [self] in changeTokenUpdatedBlock?(token) } }
        default: break
        }
    }

    override var longLivedName: String? { "FetchDatabaseChanges" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(previousServerChangeToken, forKey: "Token")
        coder.encode(Int64(resultsLimit), forKey: "ResultsLimit")
        coder.encode(fetchAllChanges, forKey: "FetchAllChanges")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        previousServerChangeToken = coder.decoded(CKServerChangeToken.self, "Token")
        resultsLimit = Int(coder.decodeInt64(forKey: "ResultsLimit"))
        fetchAllChanges = coder.decodeBool(forKey: "FetchAllChanges")
        return true
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

extension CKDatabase.DatabaseChange.Deletion.Reason {
    /// As kept results say it.
    fileprivate var archiveName: String {
        switch self {
        case .deleted: "deleted"
        case .purged: "purged"
        case .encryptedDataReset: "encryptedDataReset"
        }
    }

    fileprivate init(archiveName: String?) {
        switch archiveName {
        case "purged": self = .purged
        case "encryptedDataReset": self = .encryptedDataReset
        default: self = .deleted
        }
    }
}
