import Foundation

/// Fires on every change in a custom zone.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// The zone that is watched.
    public let zoneID: CKRecordZone.ID

    /// Watches a zone under a new name.
    public convenience init(zoneID: CKRecordZone.ID) { self.init(zoneID: zoneID, subscriptionID: UUID().uuidString) }

    /// Watches a zone.
    public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
        self.zoneID = zoneID
        super.init(.recordZone, subscriptionID, State(zoneID: zoneID))
    }

    private init(_ zoneID: CKRecordZone.ID, _ subscriptionID: CKSubscription.ID, _ state: State) {
        self.zoneID = zoneID
        super.init(.recordZone, subscriptionID, state)
    }

    /// The only type of record that it fires on; nil for all.
    public var recordType: CKRecord.RecordType? {
        get { state.withLock { $0.recordType } }
        set { state.withLock { $0.recordType = newValue } }
    }

    /// Reads it from an archive; nil if it is not whole.
    public required init?(coder: NSCoder) {
        guard let zoneID = coder.decoded(CKRecordZoneID.self, "ZoneID") else { return nil }
        self.zoneID = zoneID
        super.init(coder: coder)
    }

    /// An equal subscription of its own.
    public override func copy(with zone: NSZone? = nil) -> Any {
        CKRecordZoneSubscription(zoneID, subscriptionID, state.withLock { $0 })
    }
}
