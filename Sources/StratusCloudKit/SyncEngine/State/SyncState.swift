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

    /// Forgets what was fetched of a zone that is gone.
    mutating func forgetZone(_ zoneID: CKRecordZone.ID) {
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
