import Foundation

/// Fetches what changed in zones since a token of each.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What is wanted of one zone's changes.
    public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration
    /// The older name of ``ZoneConfiguration``.
    public typealias ZoneOptions = CKFetchRecordZoneChangesConfiguration
    /// Where a zone goes on, and whether there is more.
    public typealias ZoneResult = (
        serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool
    )

    /// The zones.
    open var recordZoneIDs: [CKRecordZone.ID]?
    /// What is wanted of each; those that are not here begin with everything.
    open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    /// The older name of ``configurationsByRecordZoneID``.
    @available(*, deprecated, renamed: "configurationsByRecordZoneID")
    public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }
    /// Whether to go on until there is no more.
    open var fetchAllChanges = true
    /// Told of each record that was saved.
    open var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// As ``recordWasChangedBlock``, before Swift had results. Deprecated at Apple.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// Told of each record that is gone.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// Told of the token of each page but a zone's last.
    open var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    /// Told where a zone goes on; or why it failed.
    open var recordZoneFetchResultBlock: ((CKRecordZone.ID, Result<ZoneResult, any Error>) -> Void)?
    /// As ``recordZoneFetchResultBlock``, before Swift had results. Deprecated at Apple.
    open var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    /// Told what became of all of it; what concerns one zone is not here.
    open var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``fetchRecordZoneChangesResultBlock``, before Swift had results. Deprecated at Apple.
    open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

    private var failures: [AnyHashable: any Error] = [:]

    /// An operation that fetches nothing yet.
    public override init() { super.init() }

    /// An operation that fetches the changes of zones.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    /// An operation that fetches the changes of zones.
    @available(*, deprecated, message: "Use init(recordZoneIDs:configurationsByRecordZoneID:)")
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }

    override func run() async throws {
        let client = client
        var questions = questions
        var outcomes = try await client.zoneChanges(questions)
        while !questions.isEmpty {
            let remaining = following(questions, outcomes)
            // One page is on its way while the blocks are told of the one before.
            async let next = client.zoneChanges(remaining)
            for (question, (zoneID, result)) in zip(questions, outcomes) {
                switch result {
                case .failure(let error):
                    await tell([OperationEvent(.zoneEnd, zoneID, question.token, error)])
                case .success(let page):
                    let goesOn = page.moreComing && fetchAllChanges
                    var events = page.modifications.map { OperationEvent(.changed, $0, $1) }
                    events += page.deletions.map { OperationEvent(.gone, $0.recordID, text: $0.recordType) }
                    events.append(
                        OperationEvent(
                            goesOn ? .token : .zoneEnd, zoneID, page.token, data: page.clientChangeToken,
                            isMoreComing: page.moreComing))
                    await tell(events)
                }
            }
            questions = remaining
            outcomes = try await next
        }
    }

    /// What is to be asked after some pages.
    private func following(
        _ questions: [ZoneChangesQuestion], _ outcomes: ItemResults<CKRecordZone.ID, ZoneChangesOutcome>
    ) -> [ZoneChangesQuestion] {
        zip(questions, outcomes).compactMap { question, outcome in
            guard fetchAllChanges, case .success(let page) = outcome.1, page.moreComing else { return nil }
            var next = question
            next.token = page.token
            return next
        }
    }

    private var questions: [ZoneChangesQuestion] {
        var seen: Set<CKRecordZone.ID> = []
        let zoneIDs = recordZoneIDs ?? configurationsByRecordZoneID.map { Array($0.keys) } ?? []
        return zoneIDs.filter { seen.insert($0).inserted }.map { zoneID in
            let configuration = configurationsByRecordZoneID?[zoneID]
            return ZoneChangesQuestion(
                zoneID: zoneID, token: configuration?.previousServerChangeToken,
                resultsLimit: configuration?.resultsLimit, desiredKeys: configuration?.desiredKeys)
        }
    }

    override func handle(_ event: OperationEvent) async {
        let token = event.value as? CKServerChangeToken
        switch (event.kind, event.item) {
        case (.changed, let recordID as CKRecord.ID):
            let result = event.result(CKRecord.self)
            await call { [self] in
                if let block = recordWasChangedBlock {
                    block(recordID, result)
                } else if let record = try? result.get() {
                    recordChangedBlock?(record)
                }
            }
        case (.gone, let recordID as CKRecord.ID):
            await call { [self] in recordWithIDWasDeletedBlock?(recordID, event.text ?? "") }
        case (.token, let zoneID as CKRecordZone.ID):
            await call { [self] in recordZoneChangeTokensUpdatedBlock?(zoneID, token, event.data) }
        case (.zoneEnd, let zoneID as CKRecordZone.ID):
            if let error = event.error {
                failures[zoneID] = error
                await end(zoneID, .failure(error), lastToken: token)
            } else if let token {
                await end(zoneID, .success((token, event.data, event.isMoreComing)), lastToken: token)
            }
        default: break
        }
    }

    override var longLivedName: String? { "FetchRecordZoneChanges" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: recordZoneIDs, forKey: "RecordZoneIDs")
        let configurations = configurationsByRecordZoneID.map { Array($0) }
        coder.encode(list: configurations?.map { $0.key }, forKey: "ConfiguredZoneIDs")
        coder.encode(list: configurations?.map { $0.value }, forKey: "Configurations")
        coder.encode(fetchAllChanges, forKey: "FetchAllChanges")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        recordZoneIDs = coder.decodedList([CKRecordZoneID.self], "RecordZoneIDs")
        let zoneIDs = coder.decodedList([CKRecordZoneID.self], "ConfiguredZoneIDs", of: CKRecordZone.ID.self)
        let classes: [AnyClass] = [CKFetchRecordZoneChangesConfiguration.self]
        let configurations = coder.decodedList(classes, "Configurations", of: ZoneConfiguration.self)
        if let zoneIDs, let configurations, zoneIDs.count == configurations.count {
            configurationsByRecordZoneID = Dictionary(zip(zoneIDs, configurations)) { first, _ in first }
        }
        fetchAllChanges = coder.decodeBool(forKey: "FetchAllChanges")
        return true
    }

    private func end(
        _ zoneID: CKRecordZone.ID, _ result: Result<ZoneResult, any Error>, lastToken: CKServerChangeToken?
    ) async {
        await call { [self] in
            if let block = recordZoneFetchResultBlock {
                block(zoneID, result)
            } else {
                let end = try? result.get()
                recordZoneFetchCompletionBlock?(
                    zoneID, lastToken, end?.clientChangeTokenData, end?.moreComing ?? false, result.failure)
            }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchRecordZoneChangesResultBlock {
                block(result)
            } else {
                fetchRecordZoneChangesCompletionBlock?(
                    result.failure
                        ?? NSError.partialFailure(failures, "Failed to fetch the changes of some record zones"))
            }
        }
    }
}
