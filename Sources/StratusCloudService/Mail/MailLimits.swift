/// Limits of the mail that the service sends. The documentation quotes this file.
public enum MailLimits {
    /// Invitations that one user may send in a day, unless the operator says otherwise.
    public static let perUserAndDay = 100
    /// Mails that one address may get in a day, from whomever.
    public static let perAddressAndDay = 10
    /// Mails to people who want an account that one network address may cause in a day.
    public static let signUpsPerNetworkAddressAndDay = 20
    /// Mails to people who forgot their password that one network address may cause in a day.
    public static let resetsPerNetworkAddressAndDay = 20
    /// Such mails that one address may get in a day. Fewer than all mails, so that strangers who ask for them do not use up
    /// what is there for invitations.
    public static let resetsPerAddressAndDay = 5
    /// Milliseconds that the link in such a mail is good: an hour.
    public static let resetLifetime: Int64 = 60 * 60 * 1_000
    /// Milliseconds that the link in a mail to people who want an account is good: a day.
    public static let signUpLifetime: Int64 = 24 * 60 * 60 * 1_000
    /// Milliseconds after the first of them until such a count begins anew: a day.
    public static let countingTime: Int64 = 24 * 60 * 60 * 1_000
    /// Participants of one request for invitations.
    public static let participantsPerRequest = 100
    /// Mail that waits; beyond, no more is taken.
    public static let queueLength = 100_000
    /// Milliseconds that a mail is tried: three days.
    public static let lifetime: Int64 = 3 * 24 * 60 * 60 * 1_000
    /// Milliseconds until a mail is tried again: by how often it was tried, the last for all further times.
    public static let pauses: [Int64] = [1, 5, 15, 60].map { $0 * 60 * 1_000 }
    /// Counts of the past that one request clears away.
    static let countsPerStep = 100
}
