/// All that an engine knows, as a value.
struct SyncState: Sendable {
    /// How far a zone's changes were fetched.
    struct Zone: Hashable, Sendable {
        /// nil before the first page.
        var token: String?
        /// Whether there are changes that were not fetched.
        var isBehind = false
    }

    /// The record name of who was signed in when it was last known.
    var userName: String?
    /// How far the database's changes were fetched.
    var databaseToken: String?
    /// The zones that the server has told of.
    private(set) var zones: [CKRecordZone.ID: Zone] = [:]
    /// Zones with changes to fetch, in the order in which they were told of.
    private(set) var zonesBehind: [CKRecordZone.ID] = []
    /// Records that the app has of zones whose changes were never fetched, by name, with their types. When they are fetched,
    /// the server lists what there is; it does not say what had gone before.
    private(set) var unfollowed: [CKRecordZone.ID: [String: CKRecord.RecordType]] = [:]
    /// While the database's changes are fetched from their beginning: zones that were known then, and that no page told of so
    /// far. Nil at any other time.
    private(set) var unlisted: Set<CKRecordZone.ID>?
    var recordChanges = PendingQueue<CKSyncEngine.PendingRecordZoneChange>()
    var databaseChanges = PendingQueue<CKSyncEngine.PendingDatabaseChange>()
    /// Whether the app has changes that are not in the list.
    var hasUntrackedChanges = false
    /// Whether such changes are being sent.
    var isSendingUntrackedChanges = false
    /// The subscription that tells of changes.
    var subscriptionID: CKSubscription.ID?

    subscript(zoneID: CKRecordZone.ID) -> Zone? { zones[zoneID] }

    mutating func setZone(_ zoneID: CKRecordZone.ID, _ zone: Zone) {
        let wasBehind = zones[zoneID]?.isBehind ?? false
        zones[zoneID] = zone
        if zone.isBehind, !wasBehind { zonesBehind.append(zoneID) }
        if !zone.isBehind, wasBehind { zonesBehind.removeAll { $0 == zoneID } }
    }

    /// Notes that something in a zone changed.
    mutating func noteChange(in zoneID: CKRecordZone.ID) {
        setZone(zoneID, Zone(token: zones[zoneID]?.token, isBehind: true))
    }

    /// Notes that zones are there, as something was sent to them. Only then is their end noticed when the server, told that
    /// nothing was fetched, lists those that are left.
    mutating func noteZones(_ zoneIDs: some Sequence<CKRecordZone.ID>) {
        // No feed tells of the default zone, so that it would seem gone.
        for zoneID in zoneIDs where zones[zoneID] == nil && zoneID.zoneName != CKRecordZone.ID.defaultZoneName {
            zones[zoneID] = Zone()
        }
    }

    /// Notes that the app has records as the server has them.
    mutating func noteRecords(_ records: some Sequence<(CKRecord.ID, CKRecord.RecordType)>) {
        for (recordID, recordType) in records where zones[recordID.zoneID]?.token == nil {
            noteZones([recordID.zoneID])
            unfollowed[recordID.zoneID, default: [:]][recordID.recordName] = recordType
        }
    }

    /// Sets what is left of the records that the server has not told of.
    mutating func setUnfollowed(_ records: [String: CKRecord.RecordType], of zoneID: CKRecordZone.ID) {
        unfollowed[zoneID] = records.isEmpty ? nil : records
    }

    /// Forgets records that are gone.
    mutating func forgetRecords(_ recordIDs: some Sequence<CKRecord.ID>) {
        for recordID in recordIDs { unfollowed[recordID.zoneID]?[recordID.recordName] = nil }
    }

    /// The database's changes are fetched from their beginning, so that zones that are gone are only missing.
    mutating func beginListing() { unlisted = Set(zones.keys) }

    /// Sets what is left of the zones that no page told of; nil when there are no more pages.
    mutating func setUnlisted(_ zoneIDs: Set<CKRecordZone.ID>?) { unlisted = zoneIDs }

    /// Forgets what was fetched of a zone that is gone.
    mutating func forgetZone(_ zoneID: CKRecordZone.ID) {
        unfollowed[zoneID] = nil
        unlisted?.remove(zoneID)
        guard zones.removeValue(forKey: zoneID)?.isBehind == true else { return }
        zonesBehind.removeAll { $0 == zoneID }
    }

    /// Somebody else is signed in: nothing of what was known is true. What waits is whoever's who was signed in; what was
    /// added while nobody was stays.
    mutating func becomeOther(_ userName: String?) {
        var next = SyncState()
        next.userName = userName
        if self.userName == nil {
            next.recordChanges = recordChanges
            next.databaseChanges = databaseChanges
            next.hasUntrackedChanges = hasUntrackedChanges
        }
        self = next
    }
}
