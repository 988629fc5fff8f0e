/// A zone as answers show it.
public struct Zone: Hashable, Sendable {
    /// Name and owner.
    public var zoneID: ZoneID
    /// The state of the zone, for change feeds.
    public var syncToken: String
    /// Whether batches in it are all or nothing: custom zones.
    public var atomic: Bool

    /// Makes a zone.
    public init(zoneID: ZoneID, syncToken: String, atomic: Bool) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.atomic = atomic
    }
}

/// One operation of `zones/modify`.
public struct ZoneOperation: Hashable, Sendable {
    /// What to do with a zone.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case create, delete
    }

    /// What to do.
    public var kind: Kind
    /// With which zone.
    public var zoneID: ZoneID

    /// Makes an operation.
    public init(_ kind: Kind, _ zoneID: ZoneID) {
        self.kind = kind
        self.zoneID = zoneID
    }
}

/// What became of one zone operation or lookup.
public enum ZoneResult: Hashable, Sendable {
    case zone(Zone)
    case deleted(ZoneID)
    case failed(ZoneID, CloudError)
}
