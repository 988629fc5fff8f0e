/// What a member of a container's team is; each may do what those before it may.
public enum TeamRole: String, Hashable, Sendable, Comparable, CaseIterable {
    /// Looks at everything, and changes nothing.
    case viewer
    /// Works on the app: its data, and what there is in development.
    case developer
    /// Says who is in the team, what goes to production, and what has keys to it.
    case admin

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .developer: 1
        case .admin: 2
        }
    }

    /// Who may less comes first.
    public static func < (left: TeamRole, right: TeamRole) -> Bool { left.rank < right.rank }
}
