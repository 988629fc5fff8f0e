import Foundation

/// Fetches zones, by name or all of them.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones; nil where all are meant.
    open var recordZoneIDs: [CKRecordZone.ID]?
    /// Told what became of each zone.
    open var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one zone is not here.
    open var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``fetchRecordZonesResultBlock``, before Swift had results. Deprecated at Apple.
    open var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

    private var isAboutAll = false
    private var results: ItemResults<CKRecordZone.ID, CKRecordZone> = []

    /// An operation that fetches nothing yet.
    public required override init() { super.init() }

    /// An operation that fetches zones.
    public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }

    /// An operation that fetches all zones.
    open class func fetchAllRecordZonesOperation() -> Self {
        let operation = Self.init()
        operation.isAboutAll = true
        return operation
    }

    override func run() async throws {
        if isAboutAll {
            results = try await client.allZones().map { ($0.zoneID, .success($0)) }
        } else {
            results = try await client.zones(for: recordZoneIDs ?? [])
        }
        for (zoneID, result) in results { await call { [self] in perRecordZoneResultBlock?(zoneID, result) } }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchRecordZonesResultBlock {
                block(result)
                return
            }
            let zones = Dictionary(results.values().map { ($0.zoneID, $0) }) { first, _ in first }
            fetchRecordZonesCompletionBlock?(
                result.failure == nil ? zones : nil,
                result.failure ?? NSError.partialFailure(results.failures(), "Failed to fetch some record zones"))
        }
    }
}
