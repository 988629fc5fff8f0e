import StratusCloudCrypto
import StratusCloudModel

/// A person who looks after their own account, and has proved who they are. Every call about an own account takes one.
public struct AccountHolder: Sendable {
    let account: Account
    let session: AccountSessionID
    /// Stands in every form of the account's page: no other site can know it.
    public let formToken: String

    init(_ account: Account, _ session: AccountSessionID, _ seals: Seals) {
        self.account = account
        self.session = session
        formToken = Hex.encode(seals.seal([], for: .accountForm, boundTo: session.hash))
    }

    /// The address that the person signs in with.
    public var email: String { account.email }

    /// Whether a form is one that this session's page made.
    public func accepts(formToken: String) -> Bool {
        constantTimeEqual(Array(formToken.utf8), Array(self.formToken.utf8))
    }
}

/// What a person sees of their own account.
public struct AccountOverview: Hashable, Sendable {
    /// An app that the person has signed in to.
    public struct App: Hashable, Sendable {
        /// Its container and environment.
        public var context: CloudContext
        /// Whether others there may find the person.
        public var isDiscoverable: Bool
    }

    /// The address to sign in with.
    public var email: String
    /// As the account's profile says.
    public var givenName: String?
    /// As the account's profile says.
    public var familyName: String?
    /// By container, then environment.
    public var apps: [App]
    /// Developers whose own account it is in the console, by address: each sees what is private to the person.
    public var consoles: [Person.Console]
    /// Where the person is signed in, the session that was used last first.
    public var sessions: [OwnSession]
    /// The oldest first.
    public var appPasswords: [AppPasswordSummary]
    /// By the device's name.
    public var deviceBackups: [OwnDeviceBackup]
}
