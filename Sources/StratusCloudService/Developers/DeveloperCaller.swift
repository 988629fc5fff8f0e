import StratusCloudModel

/// A developer who is signed in to the console. Only the service makes one, from a session that is live now.
public struct DeveloperCaller: Hashable, Sendable {
    /// 32 hexadecimal digits.
    public let id: String
    /// The address to sign in with.
    public let email: String
    /// What others call them.
    public let name: String
    /// Whether the developer is admin of all containers, and may make them.
    public let isOwner: Bool
    /// Whether the session outlives the browser, because the developer chose to stay signed in.
    public let staysSignedIn: Bool
    let session: AccountSessionID

    init(_ developer: Developer, _ session: AccountSessionID, staysSignedIn: Bool) {
        id = developer.id
        email = developer.email
        name = developer.name
        isOwner = developer.isOwner
        self.staysSignedIn = staysSignedIn
        self.session = session
    }
}

/// A developer, as the operator and the team see one.
public struct DeveloperSummary: Hashable, Sendable {
    /// 32 hexadecimal digits.
    public var id: String
    /// The address to sign in with.
    public var email: String
    /// What others call them.
    public var name: String
    /// Whether the developer is admin of all containers.
    public var isOwner: Bool

    init(_ developer: Developer) {
        id = developer.id
        email = developer.email
        name = developer.name
        isOwner = developer.isOwner
    }
}
