/// A share link to be looked at or accepted.
public struct ShareLinkRequest: Hashable, Sendable {
    /// The short GUID in the link.
    public var shortGUID: String
    /// Whether the shared record itself is wanted.
    public var wantsRootRecord: Bool
    /// Its fields wanted; nil means all.
    public var rootDesiredKeys: [String]?

    /// Makes a request.
    public init(shortGUID: String, wantsRootRecord: Bool = false, rootDesiredKeys: [String]? = nil) {
        self.shortGUID = shortGUID
        self.wantsRootRecord = wantsRootRecord
        self.rootDesiredKeys = rootDesiredKeys
    }
}

/// Participants of a share whose invitations are sent by e-mail.
public struct ShareInvitationsRequest: Hashable, Sendable {
    /// The short GUID of the share.
    public var shortGUID: String
    /// Those who are invited.
    public var participantIDs: [String]

    /// Makes a request.
    public init(shortGUID: String, participantIDs: [String]) {
        self.shortGUID = shortGUID
        self.participantIDs = participantIDs
    }
}

/// What a share link leads to, as the caller may see it.
public struct ShareLink: Hashable, Sendable {
    /// The short GUID in the link, and whether the root record was asked for.
    public var request: ShareLinkRequest
    /// The container and environment of the share.
    public var context: CloudContext
    /// Where the caller finds the records: private for the owner, shared for everybody else.
    public var databaseScope: DatabaseScope
    /// The zone, with its owner.
    public var zoneID: ZoneID
    /// The share record.
    public var share: Record
    /// Name of the record whose hierarchy is shared; nil for a whole zone.
    public var rootRecordName: String?
    /// That record, if it was wanted.
    public var rootRecord: Record?
    /// The caller's part in the share, or the part they would have.
    public var role: ShareRole
    /// Whether the caller came in.
    public var acceptance: ShareAcceptance
    /// What the caller may do, or could.
    public var permission: SharePermission
    /// The owner.
    public var owner: ShareIdentity

    /// Makes an answer.
    public init(
        request: ShareLinkRequest, context: CloudContext, databaseScope: DatabaseScope, zoneID: ZoneID, share: Record,
        rootRecordName: String?, rootRecord: Record?, role: ShareRole, acceptance: ShareAcceptance,
        permission: SharePermission, owner: ShareIdentity
    ) {
        self.request = request
        self.context = context
        self.databaseScope = databaseScope
        self.zoneID = zoneID
        self.share = share
        self.rootRecordName = rootRecordName
        self.rootRecord = rootRecord
        self.role = role
        self.acceptance = acceptance
        self.permission = permission
        self.owner = owner
    }
}

/// What became of one share link.
public enum ShareLinkResult: Hashable, Sendable {
    case link(Boxed<ShareLink>)
    case failed(shortGUID: String, CloudError)
}
