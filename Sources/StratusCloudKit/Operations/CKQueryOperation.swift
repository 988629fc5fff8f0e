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
        next = outcome.cursor
        failures = outcome.matches.failures()
    }

    private var matched: @Sendable (CKRecord.ID, Result<CKRecord, any Error>) async -> Void {
        { [self] recordID, result in
            await call { [self] in
                if let block = recordMatchedBlock {
                    block(recordID, result)
                } else if let record = try? result.get() {
                    recordFetchedBlock?(record)
                }
            }
        }
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
