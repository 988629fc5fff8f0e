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
        let results: ItemResults<CKRecordZone.ID, CKRecordZone>
        if isAboutAll {
            results = try await client.allZones().map { ($0.zoneID, .success($0)) }
        } else {
            results = try await client.zones(for: recordZoneIDs ?? [])
        }
        await tell(results.map { OperationEvent(.fetched, $0, $1) })
    }

    override func handle(_ event: OperationEvent) async {
        guard let zoneID = event.item as? CKRecordZone.ID else { return }
        let result = event.result(CKRecordZone.self)
        results.append((zoneID, result))
        await call { [self] in perRecordZoneResultBlock?(zoneID, result) }
    }

    override var longLivedName: String? { "FetchRecordZones" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: recordZoneIDs, forKey: "RecordZoneIDs")
        coder.encode(isAboutAll, forKey: "IsAboutAll")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        recordZoneIDs = coder.decodedList([CKRecordZoneID.self], "RecordZoneIDs")
        isAboutAll = coder.decodeBool(forKey: "IsAboutAll")
        return true
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
