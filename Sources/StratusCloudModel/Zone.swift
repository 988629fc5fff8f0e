/// A zone as answers show it.
public struct Zone: Hashable, Sendable {
    /// Name and owner.
    public var zoneID: ZoneID
    /// The state of the zone, for change feeds.
    public var syncToken: String
    /// Whether batches in it are all or nothing: custom zones.
    public var atomic: Bool
    /// The share record of a zone that is shared as a whole.
    public var share: Reference?

    /// Makes a zone.
    public init(zoneID: ZoneID, syncToken: String, atomic: Bool, share: Reference? = nil) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.atomic = atomic
        self.share = share
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
    /// Why a zone is deleted; means nothing where one is created.
    public var reason: ZoneDeletionReason
    /// Names the request that the operation came with, so that it is not carried out again when the request comes again;
    /// nil for one that is not sent again.
    public var requestID: String?

    /// Makes an operation.
    public init(
        _ kind: Kind, _ zoneID: ZoneID, reason: ZoneDeletionReason = .deleted, requestID: String? = nil
    ) {
        self.requestID = requestID
        self.kind = kind
        self.zoneID = zoneID
        self.reason = reason
    }
}

/// Why a zone is gone. What devices do about it differs: after a deletion or a purge they forget what they have of the
/// zone, after a reset of encrypted data they send it again.
public enum ZoneDeletionReason: String, Hashable, Sendable, CaseIterable {
    /// An app deleted it.
    case deleted = "DELETED"
    /// The user removed the app's data.
    case purged = "PURGED"
    /// The user's keys were given up, and with them what they encrypted.
    case encryptedDataReset = "ENCRYPTED_DATA_RESET"
}

/// What became of one zone operation or lookup.
public enum ZoneResult: Hashable, Sendable {
    case zone(Zone)
    case deleted(ZoneID, ZoneDeletionReason = .deleted)
    case failed(ZoneID, CloudError)

    /// The zone that it is about.
    public var zoneID: ZoneID {
        switch self {
        case .zone(let zone): zone.zoneID
        case .deleted(let zoneID, _), .failed(let zoneID, _): zoneID
        }
    }
}
