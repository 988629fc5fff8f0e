import Foundation

/// Finds the records that satisfy a query.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where a query goes on.
    public typealias Cursor = CKQueryCursor

    /// Leaves the number of results to the server.
    public static let maximumResults = 0

    /// The query; ``cursor`` counts before it.
    open var query: CKQuery?
    /// Where an earlier query goes on.
    open var cursor: Cursor?
    /// The zone; nil for the default zone of the public database, or all zones of another.
    open var zoneID: CKRecordZone.ID?
    /// How many records; ``maximumResults`` leaves it to the server.
    open var resultsLimit = CKQueryOperation.maximumResults
    /// Fields wanted; nil for all, an empty list for none.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// Told of each record.
    open var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Told where the query goes on, if there is more; or why it failed.
    open var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)?
    /// As ``recordMatchedBlock``, before Swift had results. Deprecated at Apple.
    open var recordFetchedBlock: ((CKRecord) -> Void)?
    /// As ``queryResultBlock``, before Swift had results. Deprecated at Apple.
    open var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?

    private var next: Cursor?
    private var failures: [AnyHashable: any Error] = [:]

    /// An operation that asks nothing yet.
    public override init() { super.init() }

    /// An operation that begins a query.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    /// An operation that goes on with a query.
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func run() async throws {
        let outcome: QueryOutcome
        if let cursor {
            outcome = try await client.records(
                continuingFrom: cursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit, matched: matched)
        } else if let query {
            outcome = try await client.records(
                matching: query, in: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit, matched: matched)
        } else {
            throw NSError.cloudKit(.invalidArguments, "A query operation needs a query or a cursor.")
        }
        await tell([OperationEvent(.token, nil, outcome.cursor)])
    }

    override func handle(_ event: OperationEvent) async {
        if event.kind == .token { next = event.value as? Cursor }
        guard event.kind == .fetched, let recordID = event.item as? CKRecord.ID else { return }
        let result = event.result(CKRecord.self)
        if let error = result.failure { failures[recordID] = error }
        await call { [self] in
            if let block = recordMatchedBlock {
                block(recordID, result)
            } else if let record = try? result.get() {
                recordFetchedBlock?(record)
            }
        }
    }

    override var longLivedName: String? { "Query" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(query, forKey: "Query")
        coder.encode(cursor, forKey: "Cursor")
        coder.encode(zoneID, forKey: "ZoneID")
        coder.encode(Int64(resultsLimit), forKey: "ResultsLimit")
        coder.encode(list: desiredKeys.map { $0.map { $0 as NSString } }, forKey: "DesiredKeys")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        query = coder.decoded(CKQuery.self, "Query")
        cursor = coder.decoded(CKQueryCursor.self, "Cursor")
        zoneID = coder.decoded(CKRecordZoneID.self, "ZoneID")
        resultsLimit = Int(coder.decodeInt64(forKey: "ResultsLimit"))
        desiredKeys = coder.decodedList([NSString.self], "DesiredKeys")
        return true
    }

    private var matched: @Sendable (CKRecord.ID, Result<CKRecord, any Error>) async -> Void {
        { [self] recordID, result in await tell([OperationEvent(.fetched, recordID, result)]) }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = queryResultBlock {
                block(result.map { next })
            } else {
                queryCompletionBlock?(
                    result.failure == nil ? next : nil,
                    result.failure ?? NSError.partialFailure(failures, "Failed to fetch some records"))
            }
        }
    }
}
