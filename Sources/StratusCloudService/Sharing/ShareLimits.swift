/// Limits of sharing beside those of `ModelLimits`. The documentation quotes this file.
public enum ShareLimits {
    /// Records below a record that may enter or leave a share with it, in one transaction.
    public static let recordsPerMove = 100_000
    /// Live shares of hierarchies in one zone.
    public static let sharesPerZone = 5_000
    /// Zones that others share with one user.
    public static let zonesPerSharedDatabase = 5_000
    /// Requests for access that wait at one share; the oldest go first.
    public static let requesters = 100
    /// People who are blocked from one share.
    public static let blocked = 1_000
    /// Links of one `records/resolve` or `records/accept`.
    public static let linksPerRequest = 200
    /// Shares of each kind, own and others', that a person's page of them lists.
    public static let sharesPerOverview = 200
    /// Invitations to one address, number or user that a list of them looks at.
    static let invitationsRead = 1_000
    /// Milliseconds that an invitation may be accepted: 90 days after the participant was added.
    public static let invitationLifetime: Int64 = 90 * 24 * 60 * 60 * 1_000
    /// Bytes of a short GUID that a client asks about.
    public static let shortGUIDLength = 64
    /// Entries that one step of a walk reads.
    static let entriesPerStep = 1_000
    /// Times that a record left shares that a feed looks at, to tell of it once; whoever was away for more may hear of it
    /// again.
    static let departuresPerRecord = 64
    /// Commits of which one step tells the people who share.
    static let newsPerStep = 200
    /// People who are told of a commit at the same time.
    static let peopleToldAtOnce = 16
    /// Owners of whom it is remembered how far their news are told.
    static let ownersRemembered = 10_000
}
