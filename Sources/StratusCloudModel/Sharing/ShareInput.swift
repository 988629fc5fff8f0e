/// What a client sends of a share record beside its fields. Whatever is nil stays as it is.
public struct ShareInput: Hashable, Sendable {
    /// The record whose hierarchy is shared; where a share is made, and not of a whole zone.
    public var forRecord: Root?
    /// What everybody may do who has the link.
    public var publicPermission: SharePermission?
    /// All participants there are to be; those left out are removed. The owner may be among them or not.
    public var participants: [ShareParticipantInput]?
    /// Whether those who were not invited may not ask for access.
    public var denyAccessRequests: Bool?
    /// User record names of those whose request for access stays open; the others are denied.
    public var requesters: [String]?
    /// All who are to be blocked, as the user record names of requesters or participants.
    public var blocked: [String]?

    /// The record at the top of a hierarchy.
    public struct Root: Hashable, Sendable {
        /// Its name, in the zone of the share.
        public var recordName: String
        /// The version that the caller knows; may be nil if the same request saves the record.
        public var recordChangeTag: String?

        /// Names a record.
        public init(recordName: String, recordChangeTag: String? = nil) {
            self.recordName = recordName
            self.recordChangeTag = recordChangeTag
        }
    }

    /// Makes an input that says nothing.
    public init() {}
}

/// A participant as a client sends it.
public struct ShareParticipantInput: Hashable, Sendable {
    /// Of a participant that is there; nil for a new one.
    public var participantID: String?
    /// Who it is; nil with no ``participantID``, too, is somebody who comes with a one-time link.
    public var lookup: UserLookup?
    /// ``ShareRole/user`` or ``ShareRole/administrator`` for those who are new.
    public var role: ShareRole
    /// What they may do.
    public var permission: SharePermission

    /// Makes a participant to be sent.
    public init(
        participantID: String? = nil, lookup: UserLookup? = nil, role: ShareRole = .user,
        permission: SharePermission = .readOnly
    ) {
        self.participantID = participantID
        self.lookup = lookup
        self.role = role
        self.permission = permission
    }
}
