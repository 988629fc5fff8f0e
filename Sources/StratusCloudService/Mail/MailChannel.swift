import StratusCloudModel

/// Takes mail to people. Called with one mail at a time; what it could not hand over comes again, also after a restart,
/// and one that was handed over just before a crash comes twice.
public protocol MailChannel: Sendable {
    /// Whether mail can be sent to an address at all.
    func takes(_ address: String) -> Bool

    /// Hands one mail over. Called on Swift's threads: must not block.
    func deliver(_ letter: MailLetter) async -> MailOutcome
}

/// What a mail is.
public enum MailLetter: Hashable, Sendable {
    case invitation(MailedInvitation)
    case signUp(MailedSignUp)
    case team(MailedTeamInvitation)
    case passwordReset(MailedPasswordReset)
    case passwordNotice(MailedPasswordNotice)
}

/// The mail to somebody who forgot their password.
public struct MailedPasswordReset: Hashable, Sendable {
    /// The same whenever it is tried.
    public var id: String
    /// The e-mail address.
    public var address: String
    /// When it was asked for, in milliseconds since 1970-01-01 UTC.
    public var queued: Int64
    /// Opens the page on which a new password is chosen.
    public var ticket: String
}

/// The mail that says that an account has another password.
public struct MailedPasswordNotice: Hashable, Sendable {
    /// The same whenever it is tried.
    public var id: String
    /// The e-mail address.
    public var address: String
    /// When the password was changed, in milliseconds since 1970-01-01 UTC.
    public var queued: Int64
}

/// What a developer is told who is invited to a team.
public struct MailedTeamInvitation: Hashable, Sendable {
    /// The same whenever it is tried.
    public var id: String
    /// The e-mail address.
    public var address: String
    /// When it was asked for, in milliseconds since 1970-01-01 UTC.
    public var queued: Int64
    /// Whose team it is.
    public var container: ContainerIdentifier
    /// What they will be in it.
    public var role: TeamRole
    /// Who invites.
    public var invitedBy: String
    /// What stands in the place of the invitation's code.
    public var ticket: String
}

/// What somebody is told who wants an account.
public struct MailedSignUp: Hashable, Sendable {
    /// The same whenever it is tried.
    public var id: String
    /// The e-mail address.
    public var address: String
    /// When it was asked for, in milliseconds since 1970-01-01 UTC.
    public var queued: Int64
    /// Of the share link that they came by.
    public var shortGUID: String?
    /// What opens the page that makes the account; nil if there is one already.
    public var ticket: String?
}

/// An invitation as its mail tells it.
public struct MailedInvitation: Hashable, Sendable {
    /// The same whenever it is tried.
    public var id: String
    /// The e-mail address.
    public var address: String
    /// What the link is made of.
    public var shortGUID: String
    /// The share's container and environment.
    public var context: CloudContext
    /// What the owner is called; nil if nobody said.
    public var ownerName: String?
    /// What the share is called; nil if nobody said.
    public var title: String?
    /// What the invited may do.
    public var permission: SharePermission
    /// When the invitation ends, in milliseconds since 1970-01-01 UTC.
    public var expires: Int64
    /// When it was asked for, in milliseconds since 1970-01-01 UTC.
    public var queued: Int64
}

/// What became of a mail.
public enum MailOutcome: Hashable, Sendable {
    /// The mail server has it.
    case delivered
    /// The mail server does not take it and never will: it is dropped, and the operator is told why.
    case refused(reason: String)
    /// Not now: it is tried again after a time that grows.
    case later(reason: String)
    /// No mail can be sent now: all wait.
    case unavailable(reason: String)
}

/// What became of mail since the server started.
public struct MailStatistics: Hashable, Sendable {
    /// Waiting now.
    public var queued = 0
    /// Taken by the mail server.
    public var delivered: UInt64 = 0
    /// Not taken, and never will be.
    public var refused: UInt64 = 0
    /// Given up after ``MailLimits/lifetime``.
    public var expired: UInt64 = 0
    /// Not sent, because the invitation was accepted, taken back or too old before.
    public var withdrawn: UInt64 = 0
    /// Times that a mail was put off.
    public var postponed: UInt64 = 0
}
