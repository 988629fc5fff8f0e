/// What somebody may do with the records of a share.
public enum SharePermission: String, Hashable, Sendable, CaseIterable {
    /// Nothing; as a share's public permission: only those who were invited may come in.
    case none = "NONE"
    case readOnly = "READ_ONLY"
    case readWrite = "READ_WRITE"
}

/// As what somebody takes part in a share.
public enum ShareRole: String, Hashable, Sendable, CaseIterable {
    case owner = "OWNER"
    /// Invited, and may change the share as its owner does, but for other administrators.
    case administrator = "ADMINISTRATOR"
    /// Invited.
    case user = "USER"
    /// Came by the link of a share that is open to everybody.
    case publicUser = "PUBLIC_USER"
}

/// How far somebody came into a share.
public enum ShareAcceptance: String, Hashable, Sendable, CaseIterable {
    case invited = "INVITED"
    case accepted = "ACCEPTED"
    case removed = "REMOVED"
}

/// A person as those who share with them know them.
public struct ShareIdentity: Hashable, Sendable {
    /// nil as long as nobody accepted the invitation.
    public var userRecordName: String?
    /// Known of the owner, and of those who accepted.
    public var givenName: String?
    /// Likewise.
    public var familyName: String?
    /// How whoever invited them named them.
    public var lookupInfo: UserLookup?

    /// Makes an identity.
    public init(
        userRecordName: String? = nil, givenName: String? = nil, familyName: String? = nil,
        lookupInfo: UserLookup? = nil
    ) {
        self.userRecordName = userRecordName
        self.givenName = givenName
        self.familyName = familyName
        self.lookupInfo = lookupInfo
    }
}

/// Somebody who takes part in a share, or may.
public struct ShareParticipant: Hashable, Sendable {
    /// Unique in the share.
    public var participantID: String
    /// Who it is.
    public var identity: ShareIdentity
    /// As what.
    public var role: ShareRole
    /// What they may do with the records.
    public var permission: SharePermission
    /// Whether they came in.
    public var acceptance: ShareAcceptance
    /// What the participant's own link is made of, until somebody used it; only for those who may change the share.
    public var oneTimeShortGUID: String?
    /// Whether they had asked for access.
    public var isApprovedRequester: Bool
    /// Milliseconds since 1970-01-01 UTC; nil for the owner.
    public var added: Int64?

    /// Makes a participant.
    public init(
        participantID: String, identity: ShareIdentity, role: ShareRole, permission: SharePermission,
        acceptance: ShareAcceptance, oneTimeShortGUID: String? = nil, isApprovedRequester: Bool = false,
        added: Int64? = nil
    ) {
        self.participantID = participantID
        self.identity = identity
        self.role = role
        self.permission = permission
        self.acceptance = acceptance
        self.oneTimeShortGUID = oneTimeShortGUID
        self.isApprovedRequester = isApprovedRequester
        self.added = added
    }
}

/// What a share record says beside its fields, as the caller may see it.
public struct ShareDetails: Hashable, Sendable {
    /// What everybody may do who has the link.
    public var publicPermission: SharePermission
    /// Those whom the caller may see: for owner and administrators all, for others the owner and themselves.
    public var participants: [ShareParticipant]
    /// The owner of the records.
    public var owner: ShareParticipant
    /// The caller; nil for who has not come in and was not invited.
    public var currentUserParticipant: ShareParticipant?
    /// Whether those who were not invited may not ask for access.
    public var denyAccessRequests: Bool
    /// Those who ask for access; only for those who may change the share.
    public var requesters: [ShareIdentity]
    /// Those who may neither come in nor ask; likewise.
    public var blocked: [ShareIdentity]

    /// Makes details.
    public init(
        publicPermission: SharePermission, participants: [ShareParticipant], owner: ShareParticipant,
        currentUserParticipant: ShareParticipant?, denyAccessRequests: Bool = true, requesters: [ShareIdentity] = [],
        blocked: [ShareIdentity] = []
    ) {
        self.publicPermission = publicPermission
        self.participants = participants
        self.owner = owner
        self.currentUserParticipant = currentUserParticipant
        self.denyAccessRequests = denyAccessRequests
        self.requesters = requesters
        self.blocked = blocked
    }
}
