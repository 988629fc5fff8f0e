import Foundation

/// What a share's link leads to, as the current user may see it before coming in, and after.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKShare/Metadata``.
public final class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Values: Hashable, Sendable {
        /// What the link is made of; nil in what an archive of Apple's says of a share of iCloud.
        var shortGUID: String?
        /// What stands behind the link's `#`.
        var secret: LinkSecret?
        var containerIdentifier: String
        var ownerIdentity: CKUserIdentity
        /// nil for a whole zone.
        var rootRecordID: CKRecord.ID?
        var role: CKShare.ParticipantRole
        var acceptance: CKShare.ParticipantAcceptanceStatus
        var permission: CKShare.ParticipantPermission
    }

    let values: Values
    /// The share.
    public let share: CKShare
    /// The record that is shared with all below it, if it was asked for.
    public let rootRecord: CKRecord?

    init(_ values: Values, share: CKShare, rootRecord: CKRecord?) {
        self.values = values
        self.share = share
        self.rootRecord = rootRecord
    }

    /// The container of the share, the only one in which it can be accepted.
    public var containerIdentifier: String { values.containerIdentifier }
    /// To whom the records belong.
    public var ownerIdentity: CKUserIdentity { values.ownerIdentity }
    /// The record that is shared with all below it; nil for a whole zone.
    public var hierarchicalRootRecordID: CKRecord.ID? { values.rootRecordID }
    /// The record that is shared with all below it; for a whole zone the share. Deprecated at Apple.
    public var rootRecordID: CKRecord.ID { values.rootRecordID ?? share.recordID }
    /// As what the current user takes part, or would.
    public var participantRole: CKShare.ParticipantRole { values.role }
    /// How far the current user came in.
    public var participantStatus: CKShare.ParticipantAcceptanceStatus { values.acceptance }
    /// What the current user may do, or could.
    public var participantPermission: CKShare.ParticipantPermission { values.permission }
    /// The older ``participantRole``. Deprecated at Apple.
    public var participantType: CKShare.ParticipantType {
        switch values.role {
        case .unknown: .unknown
        case .owner: .owner
        case .administrator, .privateUser: .privateUser
        case .publicUser: .publicUser
        }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive, of the SDK's or Apple's; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        let number = coder.decodedNumber
        let shortGUID = coder.decoded(NSString.self, "ShortGUID") as String?
        let apples = coder.decoded(ArchivedContainerID.self, "ContainerID")?.identifier
        guard let container = coder.decoded(NSString.self, "ContainerIdentifier") as String? ?? apples,
            coder.containsValue(forKey: "ShortGUID") || apples != nil,
            let owner = coder.decoded(CKUserIdentity.self, "OwnerIdentity"),
            let share = coder.decoded(CKShare.self, "Share")
        else { return nil }
        let rootRecordID = coder.decoded(CKRecordID.self, "RootRecordID")
        let rootRecord = coder.decoded(CKRecord.self, "RootRecord")
        guard !coder.hasFailed else { return nil }
        let roleKey = coder.containsValue(forKey: "ParticipantRole") ? "ParticipantRole" : "ParticipantType"
        self.init(
            Values(
                shortGUID: shortGUID,
                secret: LinkSecret(fragment: coder.decoded(NSString.self, "LinkSecret") as String?),
                containerIdentifier: container, ownerIdentity: owner, rootRecordID: rootRecordID,
                role: CKShare.ParticipantRole(rawValue: number(roleKey)) ?? .unknown,
                acceptance: CKShare.ParticipantAcceptanceStatus(rawValue: number("ParticipantStatus")) ?? .unknown,
                permission: CKShare.ParticipantPermission(rawValue: number("ParticipantPermission")) ?? .unknown),
            share: share, rootRecord: rootRecord)
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(values.shortGUID as NSString?, forKey: "ShortGUID")
        coder.encode(values.secret?.fragment as NSString?, forKey: "LinkSecret")
        coder.encode(containerIdentifier as NSString, forKey: "ContainerIdentifier")
        coder.encode(ownerIdentity, forKey: "OwnerIdentity")
        coder.encode(share, forKey: "Share")
        coder.encode(hierarchicalRootRecordID, forKey: "RootRecordID")
        coder.encode(rootRecord, forKey: "RootRecord")
        coder.encode(Int64(values.role.rawValue), forKey: "ParticipantRole")
        coder.encode(Int64(values.acceptance.rawValue), forKey: "ParticipantStatus")
        coder.encode(Int64(values.permission.rawValue), forKey: "ParticipantPermission")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both say the same of the same link.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareMetadata else { return false }
        return other === self || (other.values == values && other.share.recordID == share.recordID)
    }

    /// Of the link.
    public override var hash: Int { values.shortGUID.hashValue }

    /// For logs; without people, and without what the link is made of.
    public override var description: String {
        "<CKShareMetadata: containerIdentifier=\(containerIdentifier), share=\(share.recordID), "
            + "participantRole=\(participantRole), participantStatus=\(participantStatus)>"
    }
}
