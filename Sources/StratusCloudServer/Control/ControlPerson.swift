import StratusCloudService

/// What the operator asks about a person.
public enum ControlPersonRequest: Codable, Hashable, Sendable {
    /// The account, its profile, and where it is used.
    case describe(email: String)
    /// Zones, shares, subscriptions and devices of a person in one place.
    case places(email: String, context: ControlContext)
    /// Everything of the person goes.
    case erase(email: String, deletesPublicRecords: Bool)
}

/// A person as such. Times are milliseconds since 1970-01-01 UTC.
public struct ControlPerson: Codable, Hashable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// When the account was made.
    public var created: Int64
    /// The profile.
    public var givenName: String?
    /// The profile.
    public var familyName: String?
    /// International.
    public var phone: String?
    /// Where they signed in to.
    public var environments: [Environment]
    /// Developers whose own account it is in the console.
    public var consoles: [Console]
    /// Without the passwords themselves.
    public var appPasswords: [ControlAppPassword]
    /// What the server knows of them; only the person's devices can read them.
    public var deviceBackups: [DeviceBackup]

    /// The backup of a device.
    public struct DeviceBackup: Codable, Hashable, Sendable {
        /// Its name.
        public var device: String
        /// Bytes that it holds.
        public var bytes: Int64
        /// When it was made.
        public var created: Int64
        /// When the latest snapshot was saved.
        public var lastBackup: Int64?
    }

    /// A developer whom the account is linked to.
    public struct Console: Codable, Hashable, Sendable {
        /// The address that the developer signs in with.
        public var developer: String
        /// When it was linked.
        public var since: Int64
    }

    /// A person in one container's environment.
    public struct Environment: Codable, Hashable, Sendable {
        /// Its identifier.
        public var container: String
        /// Which copy of it.
        public var environment: String
        /// What the person is called there.
        public var userRecordName: String
        /// Whether others may find them there.
        public var isDiscoverable: Bool
        /// Those that the operator gave them.
        public var roles: [String]
        /// Hashes in their address book.
        public var contacts: Int
        /// The oldest first.
        public var sessions: [Session]
    }

    /// A device or browser that signed in.
    public struct Session: Codable, Hashable, Sendable {
        /// When it was made.
        public var created: Int64
        /// When it ends.
        public var expires: Int64
        /// The name that the client gave itself when it signed in.
        public var agent: String?
        /// When it was last used, to the hour.
        public var lastUsed: Int64?
    }

    init(_ person: Person) {
        (email, created) = (person.email, person.created)
        (givenName, familyName, phone) = (person.givenName, person.familyName, person.phone)
        consoles = person.consoles.map { Console(developer: $0.developer, since: $0.since) }
        appPasswords = person.appPasswords.map(ControlAppPassword.init)
        deviceBackups = person.deviceBackups.map {
            DeviceBackup(
                device: $0.device.name, bytes: $0.bytes, created: $0.created, lastBackup: $0.lastBackup)
        }
        environments = person.environments.map { place in
            Environment(
                container: place.context.container.rawValue, environment: place.context.environment.rawValue,
                userRecordName: place.userRecordName, isDiscoverable: place.isDiscoverable, roles: place.roles,
                contacts: place.contacts,
                sessions: place.sessions.map {
                    Session(
                        created: $0.created, expires: $0.expires, agent: $0.agent, lastUsed: $0.lastUsed)
                })
        }
    }
}

/// What a person has in one container's environment beside records: bodies as the web services answer them.
public struct ControlPersonPlaces: Codable, Hashable, Sendable {
    /// Of `zones/list` in the private database.
    public var zones: String
    /// The same in the shared one.
    public var sharedZones: String
    /// Of `records/lookup`, of the shares that the person owns, one body for each zone.
    public var shares: [String]
    /// Of `subscriptions/list`, by database.
    public var subscriptions: [String: String]
    /// Those that are told of changes.
    public var devices: [Device]
    /// What the person's clients gave with their latest modifications.
    public var changeTokens: [ChangeToken]

    /// What a client gave with its latest modification of a zone, to be given back to it.
    public struct ChangeToken: Codable, Hashable, Sendable {
        /// The zone's name.
        public var zoneName: String
        /// Whose zone it is.
        public var ownerRecordName: String
        /// When: milliseconds since 1970-01-01 UTC.
        public var given: Int64
        /// The client's own, as base64.
        public var token: String
    }

    /// A device that is told of changes.
    public struct Device: Codable, Hashable, Sendable {
        /// `poll`, `apns` or `webPush`.
        public var kind: String
        /// The client's name for itself.
        public var clientID: String?
        /// When it was made.
        public var created: Int64
        /// When it last came.
        public var lastSeen: Int64
        /// Where its notifications go, if that is outside.
        public var address: String?
    }
}

/// What an erasure did.
public struct ControlErasure: Codable, Hashable, Sendable {
    /// Containers' environments that the person used.
    public var environments: Int
    /// Zones of theirs.
    public var zones: Int
    /// Zones of others that they left.
    public var participations: Int
    /// Files that were removed.
    public var assetFiles: Int
    /// Public records that were deleted.
    public var publicRecords: Int
    /// Public records that stay because others hold them.
    public var keptRecords: [String]
    /// Sessions of apps that ended.
    public var sessions: Int

    init(_ report: ErasureReport) {
        environments = report.environments
        zones = report.zones
        participations = report.participations
        assetFiles = report.assetFiles
        publicRecords = report.publicRecords
        keptRecords = report.keptRecords
        sessions = report.sessions
    }
}
