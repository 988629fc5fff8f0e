/// What changed in one zone since a token: `records/changes`, and one zone of `changes/zone`.
public struct ZoneChangesRequest: Hashable, Sendable {
    /// The zone; it must be a custom one.
    public var zoneID: ZoneID
    /// Where the previous page ended; nil begins with everything there is.
    public var syncToken: String?
    /// 1 to ``ModelLimits/recordsPerResponse``, which is also the default.
    public var resultsLimit: Int?
    /// Fields wanted back; nil means all, an empty list none.
    public var desiredKeys: [String]?
    /// Record types wanted; nil means all. Deletions of other types are left out, too.
    public var desiredRecordTypes: [String]?
    /// The latest changes first. Pages that were begun in an order go on in it, whatever they ask.
    public var reverse: Bool

    /// Makes a request for a page.
    public init(
        zoneID: ZoneID, syncToken: String? = nil, resultsLimit: Int? = nil, desiredKeys: [String]? = nil,
        desiredRecordTypes: [String]? = nil, reverse: Bool = false
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
        self.desiredKeys = desiredKeys
        self.desiredRecordTypes = desiredRecordTypes
        self.reverse = reverse
    }
}

/// The latest that happened to a record.
public enum RecordChange: Hashable, Sendable {
    case saved(Record)
    /// The type is nil only where a server does not tell it.
    case deleted(recordName: String, recordType: String?, zoneID: ZoneID)
}

/// A page of a zone's changes.
public struct ZoneChangesPage: Hashable, Sendable {
    /// Each changed record once, as it is now. May be empty though there is more.
    public var changes: [RecordChange]
    /// Where to go on.
    public var syncToken: String
    /// Whether there is more to be had now.
    public var moreComing: Bool
    /// Whether the latest changes come first.
    public var reverse: Bool
    /// What the client that asks gave with the latest of its modifications of the zone that had such a token; nil if the
    /// server knows of none.
    public var clientChangeToken: [UInt8]?

    /// Makes a page.
    public init(
        changes: [RecordChange], syncToken: String, moreComing: Bool, reverse: Bool = false,
        clientChangeToken: [UInt8]? = nil
    ) {
        self.clientChangeToken = clientChangeToken
        self.changes = changes
        self.syncToken = syncToken
        self.moreComing = moreComing
        self.reverse = reverse
    }
}

/// What became of one zone of `changes/zone`.
public enum ZoneChangesResult: Hashable, Sendable {
    case page(ZoneID, ZoneChangesPage)
    case failed(ZoneID, CloudError)
}

/// Which zones changed since a token: `changes/database` and `zones/changes`.
public struct DatabaseChangesRequest: Hashable, Sendable {
    /// Where the previous page ended; nil begins with all zones there are.
    public var syncToken: String?
    /// 1 to ``ModelLimits/recordsPerResponse``, which is also the default.
    public var resultsLimit: Int?

    /// Makes a request for a page.
    public init(syncToken: String? = nil, resultsLimit: Int? = nil) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
    }
}

/// A page of a database's changed zones.
public struct DatabaseChangesPage: Hashable, Sendable {
    /// Each changed custom zone once: as it is now, or deleted.
    public var zones: [ZoneResult]
    /// Where to go on; not a zone's token.
    public var syncToken: String
    /// Whether there is more to be had now.
    public var moreComing: Bool

    /// Makes a page.
    public init(zones: [ZoneResult], syncToken: String, moreComing: Bool) {
        self.zones = zones
        self.syncToken = syncToken
        self.moreComing = moreComing
    }
}
