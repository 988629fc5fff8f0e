/// A person who is signed in on this machine, to one container of one cloud.
public struct StoredSession: Hashable, Sendable, Codable {
    /// Scheme, host and port of the server, without a slash at the end.
    public var url: String
    /// The container, such as `iCloud.org.example.notes`.
    public var container: String
    /// `development` or `production`
    public var environment: String
    /// Names the app.
    public var apiToken: String
    /// Names the person; the latest that the server gave.
    public var webAuthToken: String
    /// The person's name in the container.
    public var userRecordName: String
    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// When the token was written, in seconds since 1970-01-01 UTC.
    public var renewed: Int64

    /// Puts a session together.
    public init(
        url: String, container: String, environment: String, apiToken: String, webAuthToken: String,
        userRecordName: String, certificateAuthorityFile: String? = nil, renewed: Int64
    ) {
        self.url = url
        self.container = container
        self.environment = environment
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        self.userRecordName = userRecordName
        self.certificateAuthorityFile = certificateAuthorityFile
        self.renewed = renewed
    }

    /// Whether this is for the same container of the same cloud.
    public func isForSamePlace(as other: StoredSession) -> Bool {
        url == other.url && container == other.container && environment == other.environment
    }

    /// Who is signed in where; another token does not change it.
    public var identity: [String] { [url, container, environment, userRecordName] }
}

/// Everybody who is signed in on this machine, by profile.
public struct StoredCredentials: Hashable, Sendable, Codable {
    /// The profile where none is named.
    public static let standardProfile = "default"
    /// Characters of a profile's name.
    public static let profileLength = 64
    /// The form of the file.
    static let version = 1

    var version = StoredCredentials.version
    private var profiles: [String: [StoredSession]] = [:]

    /// Nobody.
    public init() {}

    /// Whether a profile may be called so: letters, digits, `.`, `_` and `-`.
    public static func isProfileName(_ name: String) -> Bool {
        (1...profileLength).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// The names of the profiles in which somebody is signed in, sorted.
    public var profileNames: [String] { profiles.keys.sorted() }

    /// The sessions of a profile, the latest sign-in first.
    public func sessions(of profile: String) -> [StoredSession] { profiles[profile] ?? [] }

    /// Adds a sign-in.
    /// - Returns: the session that it replaces.
    public mutating func add(_ session: StoredSession, to profile: String) -> StoredSession? {
        let former = sessions(of: profile).first { $0.isForSamePlace(as: session) }
        profiles[profile] = [session] + sessions(of: profile).filter { !$0.isForSamePlace(as: session) }
        return former
    }

    /// Forgets sessions of a profile.
    /// - Returns: those that were forgotten.
    public mutating func remove(
        from profile: String, where isMeant: (StoredSession) -> Bool
    ) -> [StoredSession] {
        let removed = sessions(of: profile).filter(isMeant)
        let rest = sessions(of: profile).filter { !isMeant($0) }
        profiles[profile] = rest.isEmpty ? nil : rest
        return removed
    }

    /// Takes over a renewed token, if the same person is still signed in there.
    mutating func renew(_ session: StoredSession, in profile: String) {
        guard let index = profiles[profile]?.firstIndex(where: { $0.identity == session.identity }) else { return }
        profiles[profile]?[index].webAuthToken = session.webAuthToken
        profiles[profile]?[index].renewed = session.renewed
    }
}
