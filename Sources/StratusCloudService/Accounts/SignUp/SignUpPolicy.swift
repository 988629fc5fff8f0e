/// Who may make an account by themselves. Everybody proves first that they get mail at their address; so nobody takes an
/// invitation that is for somebody else.
public enum SignUpPolicy: String, Hashable, Sendable, CaseIterable {
    /// Nobody: the operator makes accounts.
    case closed
    /// Whoever comes with the link of a share that would let them in.
    case invited
    /// Everybody.
    case open
}

/// What the link in a mail to somebody new says.
public struct SignUpTicket: Hashable, Sendable {
    /// The address that the account will have.
    public var email: String
    /// Of the share link that the person came by.
    public var shortGUID: String?
}
