/// Limits of developers' accounts and teams. The documentation quotes this file.
public enum DeveloperLimits {
    /// Developers of a cloud.
    public static let developers = 10_000
    /// Members of one container's team, its owners aside.
    public static let members = 200
    /// Open invitations to one container's team, and to own the server; the oldest go first.
    public static let invitations = 100
    /// Milliseconds that an invitation to a team is good: 7 days.
    public static let invitationLifetime: Int64 = 7 * 24 * 60 * 60 * 1_000
    /// Milliseconds that a code for who owns the server is good: one day.
    public static let setUpLifetime: Int64 = 24 * 60 * 60 * 1_000
    /// Milliseconds that a browser is signed in to the console: 12 hours.
    public static let sessionLifetime: Int64 = 12 * 60 * 60 * 1_000
    /// Milliseconds that a browser is signed in whose developer chose to stay signed in: 30 days.
    public static let longSessionLifetime: Int64 = 30 * 24 * 60 * 60 * 1_000
    /// Browsers in which a developer is signed in at the same time; beyond, the oldest is signed out.
    public static let sessions = 16
    /// Bytes of a developer's name.
    public static let nameLength = 255
    /// Characters of a one-time code, without its hyphens: 123 bits.
    public static let codeLength = 25
}
