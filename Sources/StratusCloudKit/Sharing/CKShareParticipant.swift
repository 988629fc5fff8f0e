import Foundation
import StratusWorkers

/// Somebody who takes part in a share, or is invited to.
///
/// The participants of a share are its own objects: set a permission or role on one of them and save the share. A class of
/// the top level, because keyed archives cannot name nested ones; use it as ``CKShare/Participant``.
public final class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// What there is to know of a participant.
    struct Values: Hashable, Sendable {
        var participantID: ID
        var identity: CKUserIdentity
        var role = Role.privateUser
        var permission = Permission.readOnly
        var acceptance = AcceptanceStatus.pending
        var isApprovedRequester = false
        var dateAdded: Date?
        /// What the participant's own link is made of, until somebody used it.
        var oneTimeShortGUID: String?
        /// Whether the server has such a participant; if not, the identifier is this program's.
        var isKnown = false
    }

    private struct State: Sendable {
        var values: Values
        /// What the participant was called before the server gave it a name.
        var formerID: ID?
        /// Whether an archive of Apple's says that it is the current user.
        var isMarkedCurrentUser = false
    }

    private let state: Lock<State>

    init(_ values: Values) { state = Lock(State(values: values)) }

    /// Somebody who is to be invited.
    convenience init(inviting identity: CKUserIdentity) {
        self.init(Values(participantID: UUID().uuidString, identity: identity))
    }

    /// Somebody whom nobody knows yet: whoever uses the link first that ``CKShare/oneTimeURL(for:)`` gives when the share was
    /// saved.
    public class func oneTimeURLParticipant() -> Self {
        self.init(inviting: CKUserIdentity(lookupInfo: nil, nameComponents: nil, userRecordID: nil))
    }

    var values: Values { state.withLock { $0.values } }
    var isMarkedCurrentUser: Bool { state.withLock { $0.isMarkedCurrentUser } }

    /// Who it is. Nameless while nobody used a one-time link.
    public var userIdentity: CKUserIdentity { values.identity }

    /// As what the participant takes part: ``CKShare/ParticipantRole/privateUser`` or
    /// ``CKShare/ParticipantRole/administrator``, which only the owner may change.
    public var role: Role {
        get { values.role }
        set { state.withLock { $0.values.role = newValue } }
    }

    /// The older ``role``. Deprecated at Apple.
    public var type: ParticipantType {
        get {
            switch role {
            case .unknown: .unknown
            case .owner: .owner
            case .administrator, .privateUser: .privateUser
            case .publicUser: .publicUser
            }
        }
        set { role = Role(rawValue: newValue.rawValue) ?? .unknown }
    }

    /// How far the participant came into the share.
    public var acceptanceStatus: AcceptanceStatus { values.acceptance }

    /// What the participant may do with what is shared.
    public var permission: Permission {
        get { values.permission }
        set { state.withLock { $0.values.permission = newValue } }
    }

    /// Names the participant in its share. The server gives the name: a new participant has another one until the share is
    /// saved, by which ``CKShare/oneTimeURL(for:)`` finds it all the same.
    public var participantID: ID { values.participantID }

    /// Whether the participant had asked for access.
    public var isApprovedRequester: Bool { values.isApprovedRequester }

    /// When the participant was added; nil for the owner, and until the share is saved.
    public var dateAddedToShare: Date? { values.dateAdded }

    // MARK: In a share

    /// Whether the participant has, or had, a name.
    func isCalled(_ id: ID) -> Bool { state.withLock { $0.values.participantID == id || $0.formerID == id } }

    /// Takes over what the server says.
    /// - Parameter isKept: whether role and permission stay, as they were changed meanwhile.
    func adopt(_ fresh: Values, keepingChanges isKept: Bool) {
        state.withLock { state in
            if state.values.participantID != fresh.participantID { state.formerID = state.values.participantID }
            let (role, permission) = (state.values.role, state.values.permission)
            state.values = fresh
            if isKept { (state.values.role, state.values.permission) = (role, permission) }
        }
    }

    // MARK: Archives and copies

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive, of the SDK's or Apple's; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        guard let id = coder.decoded(NSString.self, "ParticipantID") as String?,
            let identity = coder.decoded(CKUserIdentity.self, "UserIdentity")
        else { return nil }
        let role = coder.decodedNumber(coder.containsValue(forKey: "Role") ? "Role" : "Type")
        self.init(
            Values(
                participantID: id, identity: identity, role: Role(rawValue: role) ?? .unknown,
                permission: Permission(rawValue: coder.decodedNumber("Permission")) ?? .unknown,
                acceptance: AcceptanceStatus(rawValue: coder.decodedNumber("AcceptanceStatus")) ?? .unknown,
                isApprovedRequester: coder.decodeBool(forKey: "IsApprovedRequester"),
                dateAdded: coder.decoded(NSDate.self, "DateAddedToShare") as Date?,
                oneTimeShortGUID: coder.decoded(NSString.self, "OneTimeShortGUID") as String?,
                isKnown: coder.decodeBool(forKey: "KnownToServer")))
        let isCurrentUser = coder.decodeBool(forKey: "IsCurrentUser")
        state.withLock { $0.isMarkedCurrentUser = isCurrentUser }
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        let values = values
        coder.encode(values.participantID as NSString, forKey: "ParticipantID")
        coder.encode(values.identity, forKey: "UserIdentity")
        coder.encode(Int64(values.role.rawValue), forKey: "Role")
        coder.encode(Int64(values.permission.rawValue), forKey: "Permission")
        coder.encode(Int64(values.acceptance.rawValue), forKey: "AcceptanceStatus")
        coder.encode(values.isApprovedRequester, forKey: "IsApprovedRequester")
        coder.encode(values.dateAdded as NSDate?, forKey: "DateAddedToShare")
        coder.encode(values.oneTimeShortGUID as NSString?, forKey: "OneTimeShortGUID")
        coder.encode(values.isKnown, forKey: "KnownToServer")
    }

    /// A participant of its own that says the same.
    public func copy(with zone: NSZone? = nil) -> Any { CKShareParticipant(values) }

    /// Whether both are the same person, whatever each of the two says of their role, permission and acceptance: the
    /// participant's name, the user record or the lookup info is equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareParticipant else { return false }
        let (own, theirs) = (values, other.values)
        return other === self || own.participantID == theirs.participantID
            || own.identity.isSamePerson(as: theirs.identity)
            || own.identity.lookupInfo.map { $0 == theirs.identity.lookupInfo } ?? false
    }

    /// The same for all, as participants are equal in several ways.
    public override var hash: Int { 0 }

    /// For logs; without names and addresses.
    public override var description: String {
        let values = values
        return "<CKShareParticipant: participantID=\(values.participantID), role=\(values.role), "
            + "permission=\(values.permission), acceptanceStatus=\(values.acceptance)>"
    }
}
