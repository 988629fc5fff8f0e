import StratusCloudModel

/// What the cloud knows of a person as such, beside what their databases hold.
public struct Person: Hashable, Sendable {
    /// The address to sign in with.
    public internal(set) var email: String
    /// When the account was made: milliseconds since 1970-01-01 UTC.
    public internal(set) var created: Int64
    /// As the account's profile says.
    public internal(set) var givenName: String?
    /// As the account's profile says.
    public internal(set) var familyName: String?
    /// International.
    public internal(set) var phone: String?
    /// Where they signed in to.
    public internal(set) var environments: [Environment] = []
    /// Developers whose own account it is in the console, by address.
    public internal(set) var consoles: [Console] = []
    /// The oldest first.
    public internal(set) var appPasswords: [AppPasswordSummary] = []
    /// By the device's name.
    public internal(set) var deviceBackups: [OwnDeviceBackup] = []

    /// A developer whom the account is linked to.
    public struct Console: Hashable, Sendable {
        /// The address that the developer signs in with.
        public internal(set) var developer: String
        /// When it was linked: milliseconds since 1970-01-01 UTC.
        public internal(set) var since: Int64
    }

    /// A person in one container's environment.
    public struct Environment: Hashable, Sendable {
        /// The container and the environment.
        public internal(set) var context: CloudContext
        /// What they are called there.
        public internal(set) var userRecordName: String
        /// Whether others there may find them.
        public internal(set) var isDiscoverable: Bool
        /// The roles that the operator gave them.
        public internal(set) var roles: [String]
        /// People in the address book that their apps told, which the cloud knows by hashes only.
        public internal(set) var contacts: Int
        /// Their sessions, the oldest first.
        public internal(set) var sessions: [Session] = []
    }

    /// A device or browser that signed in to an app.
    public struct Session: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 UTC.
        public internal(set) var created: Int64
        /// Nothing made of it is good later.
        public internal(set) var expires: Int64
        /// What the client called itself when it signed in.
        public internal(set) var agent: String?
        /// When it was last used, to the hour; nil for sessions that were last used before that was stored.
        public internal(set) var lastUsed: Int64?
    }
}

/// A device that is told of changes.
public struct PersonDevice: Hashable, Sendable {
    /// `poll`, `apns` or `webPush`.
    public internal(set) var kind: String
    /// The client's name for itself.
    public internal(set) var clientID: String?
    /// Milliseconds since 1970-01-01 UTC.
    public internal(set) var created: Int64
    /// Likewise.
    public internal(set) var lastSeen: Int64
    /// Where its notifications go, if that is outside: an address of a push service, or a device token in hexadecimal.
    public internal(set) var address: String?
}

/// What a client of a person gave with its latest modification of a zone, to be given back to it.
public struct PersonChangeToken: Hashable, Sendable {
    /// Of the person, or of somebody who shares it with them.
    public internal(set) var zoneID: ZoneID
    /// Milliseconds since 1970-01-01 UTC.
    public internal(set) var given: Int64
    /// The client's own.
    public internal(set) var token: [UInt8]
}
