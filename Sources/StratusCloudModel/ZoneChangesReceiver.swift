/// Takes the pages of `changes/zone` as they are read: for each zone of a request, in their order, either a page from
/// ``begin(_:expecting:)`` to ``end(syncToken:moreComing:reverse:clientChangeToken:)``, or ``refuse(_:_:)``.
public protocol ZoneChangesReceiver {
    /// A page begins, of at most so many changes.
    mutating func begin(_ zoneID: ZoneID, expecting count: Int)
    /// A record that was made or changed.
    /// - Throws: what the record throws; then nothing follows, and what was told is to be forgotten.
    mutating func saved(_ record: some PackedRecord) throws
    /// A record that was deleted.
    mutating func deleted(recordName: String, recordType: String)
    /// The page ends; see ``ZoneChangesPage``.
    mutating func end(syncToken: String, moreComing: Bool, reverse: Bool, clientChangeToken: [UInt8]?)
    /// There is no page.
    mutating func refuse(_ zoneID: ZoneID, _ error: CloudError)
}

/// Keeps the pages as values.
public struct ZoneChangesCollector: ZoneChangesReceiver, Sendable {
    /// One for each zone of the request.
    public private(set) var results: [ZoneChangesResult] = []
    private var zoneID = ZoneID.default
    private var changes: [RecordChange] = []

    /// Makes one that has nothing yet.
    public init() {}

    /// See ``ZoneChangesReceiver``.
    public mutating func begin(_ zoneID: ZoneID, expecting count: Int) {
        self.zoneID = zoneID
        changes = []
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func saved(_ record: some PackedRecord) throws { changes.append(.saved(try record.record())) }

    /// See ``ZoneChangesReceiver``.
    public mutating func deleted(recordName: String, recordType: String) {
        changes.append(.deleted(recordName: recordName, recordType: recordType, zoneID: zoneID))
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func end(syncToken: String, moreComing: Bool, reverse: Bool, clientChangeToken: [UInt8]?) {
        let page = ZoneChangesPage(
            changes: changes, syncToken: syncToken, moreComing: moreComing, reverse: reverse,
            clientChangeToken: clientChangeToken)
        results.append(.page(zoneID, page))
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func refuse(_ zoneID: ZoneID, _ error: CloudError) { results.append(.failed(zoneID, error)) }
}
