/// Who may do what in a share, as Documentation/web-services.md and Documentation/sharing.md say it: a row for all who stand
/// alike to the share, a column for where a record stands to it.
struct LeakTable: Sendable {
    enum Role: String, CaseIterable, Sendable { case owner, administrator, user, publicUser, guest }

    /// Where a record stands to a share. A record of the zone that is nowhere here is not in the share.
    enum Place: Sendable {
        /// What was shared, with a hierarchy below it.
        case root
        case below
        /// Anywhere in a zone that is shared as a whole.
        case zone
        /// The share's own record.
        case share
    }

    /// What somebody gets as far as. A change, a deletion and a making over of what there is go as far as the change tag, which
    /// in the walk is wrong.
    enum Act: String, CaseIterable, Sendable {
        case lookUp, change, delete, makeOver
        /// Put a record below it.
        case add
        /// Say who takes part.
        case manage
    }

    private struct Row {
        let roles: Set<Role>
        let accepted: Bool
        /// Whether the permission is to write; nil is either.
        let writes: Bool?
        let root: Set<Act>
        let below: Set<Act>
        let zone: Set<Act>
        let share: Set<Act>
    }

    private static let read: Set<Act> = [.lookUp]
    private static let write: Set<Act> = [.lookUp, .change, .makeOver, .add]
    private static let all: Set<Act> = [.lookUp, .change, .makeOver, .add, .delete]
    /// Everybody in a share sees its record, and may leave by deleting it: what they try to do to it fails for its tag first.
    private static let part: Set<Act> = [.lookUp, .change, .makeOver, .delete]
    private static let manager: Set<Act> = [.lookUp, .change, .makeOver, .delete, .manage]
    private static let others: Set<Role> = [.user, .publicUser, .guest]

    private static let rows = [
        Row(roles: [.owner], accepted: true, writes: nil, root: all, below: all, zone: all, share: manager),
        Row(roles: [.administrator], accepted: true, writes: true, root: write, below: all, zone: all, share: manager),
        Row(roles: others, accepted: true, writes: true, root: write, below: all, zone: all, share: part),
        Row(
            roles: others.union([.administrator]), accepted: true, writes: false,
            root: read, below: read, zone: read, share: part),
        // Who has not accepted has a link, which says what the share is, and nothing else.
        Row(roles: Set(Role.allCases), accepted: false, writes: nil, root: [], below: [], zone: [], share: []),
    ]

    /// What somebody may do with what stands somewhere in a share.
    static func acts(_ role: Role, accepted: Bool, writes: Bool, at place: Place) -> Set<Act> {
        let row = rows.first {
            $0.roles.contains(role) && $0.accepted == accepted && ($0.writes ?? writes) == writes
        }
        guard let row else { return [] }
        return switch place {
        case .root: row.root
        case .below: row.below
        case .zone: row.zone
        case .share: row.share
        }
    }

    /// What must come of an act that has no right change tag: an error's code, or nothing where it is done.
    ///
    /// - Parameter may: what the person may do with the record; nil outside of the zone.
    static func outcome(_ act: Act, _ may: Set<Act>?) -> String? {
        guard let may else { return "ZONE_NOT_FOUND" }
        let (unseen, refused, done): (String, String, String?) =
            switch act {
            case .lookUp: ("NOT_FOUND", "NOT_FOUND", nil)
            case .change, .delete: ("NOT_FOUND", "ACCESS_DENIED", "CONFLICT")
            // Whether a name is taken is nothing to those who may not see what has it.
            case .makeOver: ("ACCESS_DENIED", "ACCESS_DENIED", "EXISTS")
            case .add, .manage: ("ACCESS_DENIED", "ACCESS_DENIED", nil)
            }
        if may.contains(act) { return done }
        return may.contains(.lookUp) ? refused : unseen
    }
}
