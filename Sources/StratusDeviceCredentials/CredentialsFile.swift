import FoundationEssentials
import Glibc

/// `credentials.json`: who is signed in on this machine. Read and written by several processes. All calls block.
public struct CredentialsFile: Hashable, Sendable {
    /// Bytes of the file, at most: 1 MiB.
    static let limit = 1 << 20

    /// The directory, which is the user's alone.
    public let directory: String
    /// The file.
    public var path: String { directory + "/credentials.json" }

    /// The file in a directory.
    public init(directory: String) { self.directory = directory }

    /// The user's own: `$XDG_CONFIG_HOME/stratus/accounts`, where that is not set `~/.config/stratus/accounts`; nil for a
    /// user without a home.
    public init?(environment: [String: String]) {
        guard let base = Self.configurationDirectory(environment) else { return nil }
        directory = base + "/accounts"
    }

    /// Where `stratus.json` of the user is, too. Relative paths are none, as the XDG specification says.
    public static func configurationDirectory(_ environment: [String: String]) -> String? {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/stratus" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.config/stratus" }
        return nil
    }

    /// What the file says; nobody is signed in where there is none.
    /// - Throws: if others may read it, or it is damaged.
    public func read() throws(CredentialsError) -> StoredCredentials {
        try PrivateFile.checkDirectory(directory)
        guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return StoredCredentials() }
        let credentials: StoredCredentials
        do {
            credentials = try JSONDecoder().decode(StoredCredentials.self, from: Data(bytes))
        } catch {
            throw CredentialsError("'\(path)' is damaged; sign in again after removing it (\(error))")
        }
        guard credentials.version == StoredCredentials.version else {
            throw CredentialsError("'\(path)' was written by another version of Stratus (\(credentials.version))")
        }
        return credentials
    }

    /// Changes what the file says, alone among all processes. Nothing is written if nothing changes.
    public func update<Result>(
        _ change: (inout StoredCredentials) -> Result
    ) throws(CredentialsError) -> Result {
        try PrivateFile.makeDirectory(directory)
        let lock = try FileLock.waiting(directory + "/lock")
        defer { withExtendedLifetime(lock) {} }
        let before = try read()
        var credentials = before
        let result = change(&credentials)
        guard credentials != before else { return result }
        let bytes: [UInt8]
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            bytes = Array(try encoder.encode(credentials)) + [UInt8(ascii: "\n")]
        } catch {
            throw CredentialsError("the credentials cannot be written: \(error)")
        }
        try PrivateFile.replace(path, with: bytes)
        return result
    }

    /// Writes a renewed token down, if the same person is still signed in: nobody is signed in again by it.
    public func renew(_ session: StoredSession, in profile: String) throws(CredentialsError) {
        try update { $0.renew(session, in: profile) }
    }
}
