/// `records/shares`: which shares records belong to, and what is kept with those shares for encrypted values.
public struct SharesRequest: Hashable, Sendable {
    /// The zone of the records.
    public var zoneID: ZoneID
    /// At most ``ModelLimits/operationsPerRequest``. Records that are not there belong to nothing.
    public var recordNames: [String]

    /// Makes a request.
    public init(zoneID: ZoneID, recordNames: [String]) {
        self.zoneID = zoneID
        self.recordNames = recordNames
    }
}

/// The answer to `records/shares`.
public struct SharesAnswer: Hashable, Sendable {
    /// The shares, as far as the caller sees them.
    public var shares: [ShareKeys]
    /// Names of share records, by the names of the records that belong to them. In a zone that is shared as a whole there is
    /// one for every name that was asked for.
    public var shareNames: [String: String]

    /// Makes an answer.
    public init(shares: [ShareKeys] = [], shareNames: [String: String] = [:]) {
        self.shares = shares
        self.shareNames = shareNames
    }
}

/// What is kept with a share for encrypted values. All of it is written by devices, and means nothing to the service.
public struct ShareKeys: Hashable, Sendable {
    /// Whether what is kept fits those who take part.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It does.
        case current = "CURRENT"
        /// Somebody has left since it was written.
        case stale = "STALE"
        /// Somebody was removed since it was written: nothing may be encrypted until it is written anew.
        case revoked = "REVOKED"
    }

    /// Name of the share record.
    public var shareName: String
    /// Changes whenever the keys do, and never comes again; `"0"` as long as there are none.
    public var keyTag: String
    /// Whether it fits those who take part.
    public var state: State
    /// nil as long as the owner has not written any.
    public var envelope: [UInt8]?
    /// For the owner all who have a proof or a link of their own; for participants themselves alone.
    public var members: [ShareKeyMember]

    /// Makes a description.
    public init(
        shareName: String, keyTag: String, state: State, envelope: [UInt8]? = nil, members: [ShareKeyMember] = []
    ) {
        self.shareName = shareName
        self.keyTag = keyTag
        self.state = state
        self.envelope = envelope
        self.members = members
    }
}

/// Somebody who takes part in a share, as far as its keys are concerned.
public struct ShareKeyMember: Hashable, Sendable {
    /// Unique in the share.
    public var participantID: String
    /// Who it is; nil for somebody who has not accepted yet.
    public var userRecordName: String?
    /// What the participant's own link is made of, until somebody used it.
    public var oneTimeShortGUID: String?
    /// What the participant wrote.
    public var proof: [UInt8]?
    /// What the owner wrote for the participant.
    public var handover: [UInt8]?

    /// Makes a member.
    public init(
        participantID: String, userRecordName: String? = nil, oneTimeShortGUID: String? = nil, proof: [UInt8]? = nil,
        handover: [UInt8]? = nil
    ) {
        self.participantID = participantID
        self.userRecordName = userRecordName
        self.oneTimeShortGUID = oneTimeShortGUID
        self.proof = proof
        self.handover = handover
    }
}

/// `records/shareKeys`: writes what is kept with a share for encrypted values.
public struct ShareKeysUpdate: Hashable, Sendable {
    /// What is written, and by whom it may be.
    public enum Change: Hashable, Sendable {
        /// By the owner, over what they know.
        case keys(envelope: [UInt8], over: String, handovers: [Handover])
        /// By a participant, for themselves.
        case proof([UInt8])
    }

    /// What the owner writes for one participant.
    public struct Handover: Hashable, Sendable {
        /// Unique in the share.
        public var participantID: String
        /// Of the participant alone.
        public var bytes: [UInt8]

        /// Makes a handover.
        public init(participantID: String, bytes: [UInt8]) {
            self.participantID = participantID
            self.bytes = bytes
        }
    }

    /// The zone of the share.
    public var zoneID: ZoneID
    /// Name of the share record.
    public var shareName: String
    /// What is written.
    public var change: Change

    /// Makes an update.
    public init(zoneID: ZoneID, shareName: String, change: Change) {
        self.zoneID = zoneID
        self.shareName = shareName
        self.change = change
    }
}

/// With which keys a device encrypted values that it saves: the service refuses the request if they are not, or no longer, those
/// of what the records belong to.
public struct EncryptionClaim: Hashable, Sendable {
    /// The records.
    public var recordNames: [String]
    /// Name of the record of the share whose keys were used; nil for the zone's own.
    public var shareName: String?
    /// ``ShareKeys/keyTag``.
    public var keyTag: String?

    /// Makes a claim.
    public init(recordNames: [String], shareName: String? = nil, keyTag: String? = nil) {
        self.recordNames = recordNames
        self.shareName = shareName
        self.keyTag = keyTag
    }
}
