import FoundationEssentials

/// What the operator asks of a cloud, through the control socket of a running server or in the same process.
public enum ControlRequest: Codable, Hashable, Sendable {
    /// Whether anybody listens.
    case ping
    case createContainer(identifier: String)
    case listContainers
    /// Counts what a container holds.
    case describeContainer(identifier: String)
    /// Deletes a container with everything in it.
    case deleteContainer(identifier: String)
    /// How somebody who came into a share goes on to the app: nil leaves a value as it is, an empty text removes it.
    case setAppLink(container: String, url: String?, command: String?)
    case createAccount(email: String, password: String, profile: ControlProfile? = nil)
    /// Gives an account another password; all its sessions end.
    case setPassword(email: String, password: String)
    case updateProfile(email: String, profile: ControlProfile)
    /// Whether an account may be found in a context.
    case setDiscoverable(email: String, context: ControlContext, isDiscoverable: Bool)
    /// What a database holds.
    case showUsage(database: ControlDatabase)
    case listAccounts
    /// Looks after the app passwords of an account.
    case appPassword(ControlAppPasswordRequest)
    /// An API token. Without a callback the sign-in page posts a message; without origins every origin may use it.
    case createToken(context: ControlContext, name: String, callback: String?, origins: [String])
    case registerKey(context: ControlContext, name: String, publicKeyPEM: String)
    case createSession(email: String, context: ControlContext)
    /// Adds what a text in CloudKit's schema language defines. `by` is who does it.
    case applySchema(context: ControlContext, text: String, by: String? = nil)
    case showSchema(context: ControlContext)
    /// Changes, compares and deploys schemas, and looks after roles.
    case schema(ControlSchemaRequest)
    /// Accounts for the console.
    case developer(ControlDeveloperRequest)
    /// Lists and revokes API tokens and server-to-server keys.
    case listTokens(context: ControlContext)
    case revokeToken(context: ControlContext, id: String)
    case listKeys(context: ControlContext)
    case revokeKey(context: ControlContext, id: String)
    /// `body` is that of `records/modify`.
    case modifyRecords(database: ControlDatabase, body: String)
    /// `body` is that of `records/lookup`.
    case lookupRecords(database: ControlDatabase, body: String)
    /// `body` is that of `records/query`.
    case queryRecords(database: ControlDatabase, body: String)
    /// Runs the query of a `records/query` body and tells how it was answered.
    case explainQuery(database: ControlDatabase, body: String)
    case listZones(database: ControlDatabase)
    /// `body` is that of `zones/modify`.
    case modifyZones(database: ControlDatabase, body: String)
    /// The next records of a zone in the order of their names, whatever their types and indexes; with `isOwn`, only those
    /// that the database's account made.
    case exportRecords(
        database: ControlDatabase, zone: String, recordType: String?, after: String?, isOwn: Bool? = nil)
    /// Tells everything about a person, or erases them.
    case person(ControlPersonRequest)
    /// Some of the bytes of an asset of an export, from `offset` on.
    case readAsset(database: ControlDatabase, fileChecksum: String, offset: Int64)
    /// `body` is that of `assets/upload`; the addresses in the answer are the tickets of ``uploadAsset``.
    case uploadPlaces(database: ControlDatabase, body: String)
    /// The bytes of an asset from `offset` on, which has `total` of them.
    case uploadAsset(ticket: String, offset: Int64, total: Int64, bytes: Data)
    /// Copies everything that is new since the last time into a directory: an absolute path on the server's machine.
    case backUp(path: String, keep: Int, includesKeys: Bool)
    /// Reads everything and checks that it is undamaged, the bytes of assets only if `includesAssets` is not false.
    /// How far it is can be asked for under the name `progress`.
    case verify(includesAssets: Bool? = nil, progress: String? = nil)
    /// Checks that records, indexes, references, counts and assets of all databases fit together; with `isQuick`, a
    /// sample of them.
    case checkConsistency(repairs: Bool, isQuick: Bool? = nil, progress: String? = nil)
    /// How far the check of a name is.
    case checkProgress(name: String)
}

/// What to change of what an account says of its person: nil leaves a value as it is, an empty text removes it.
public struct ControlProfile: Codable, Hashable, Sendable {
    /// The given name.
    public var givenName: String?
    /// The family name.
    public var familyName: String?
    /// International.
    public var phone: String?

    /// A change.
    public init(givenName: String? = nil, familyName: String? = nil, phone: String? = nil) {
        self.givenName = givenName
        self.familyName = familyName
        self.phone = phone
    }
}

/// A container in one of its environments, as text from the command line.
public struct ControlContext: Codable, Hashable, Sendable {
    /// Such as `iCloud.org.example.demo`.
    public var container: String
    /// `development` or `production`.
    public var environment: String

    /// A context from its words.
    public init(container: String, environment: String) {
        self.container = container
        self.environment = environment
    }
}

/// One database, and as whom the operator works in it.
public struct ControlDatabase: Codable, Hashable, Sendable {
    /// The container and its environment.
    public var context: ControlContext
    /// `public` or `private`.
    public var scope: String
    /// The account whose database it is, or who stands as creator of what is saved; required for `private`.
    public var email: String?

    /// A database of a context.
    public init(context: ControlContext, scope: String, email: String? = nil) {
        self.context = context
        self.scope = scope
        self.email = email
    }
}

/// What travels: a request, and the version of this protocol that it is written in.
public struct ControlEnvelope: Codable, Hashable, Sendable {
    /// The version that this build speaks; a server refuses others by name.
    public static let currentVersion = 1

    /// What ``currentVersion`` was where it was written.
    public var version: Int
    /// What is asked.
    public var request: ControlRequest

    /// `request` in the current version.
    public init(_ request: ControlRequest) {
        version = Self.currentVersion
        self.request = request
    }
}
