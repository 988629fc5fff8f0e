import FoundationEssentials
import Glibc

/// The contents of `stratus.json`, which says to programs, and to `stratus login`, where the cloud is.
public struct ClientConfiguration: Hashable, Sendable, Decodable {
    /// Scheme, host and port of the server.
    public var url: String?
    /// `development` or `production`
    public var environment: String?
    /// The containers that the program uses; the first is the default one.
    public var containers: [Container]?
    /// Names the app.
    public var apiToken: String?
    /// Names the person.
    public var webAuthToken: String?
    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// `secret-service`, or the directory of the keys.
    public var keys: String?
    /// Further configurations by name, each over this one.
    public var profiles: [String: ClientConfiguration]?

    /// A container: its name, or an object where it has tokens of its own.
    public struct Container: Hashable, Sendable, Decodable {
        /// Its name, such as `iCloud.org.example.notes`.
        public var identifier: String
        /// Names the app there; nil for the configuration's.
        public var apiToken: String?
        /// Names the person there; nil for the configuration's.
        public var webAuthToken: String?

        private enum Key: String, CodingKey { case identifier, apiToken, webAuthToken }

        /// Reads a name or an object.
        public init(from decoder: any Decoder) throws {
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                identifier = name
                return
            }
            let members = try decoder.container(keyedBy: Key.self)
            identifier = try members.decode(String.self, forKey: .identifier)
            apiToken = try members.decodeIfPresent(String.self, forKey: .apiToken)
            webAuthToken = try members.decodeIfPresent(String.self, forKey: .webAuthToken)
        }
    }

    /// What is said for a profile, and for the rest what is said for all; nil if there is no such profile.
    public func profile(_ name: String) -> ClientConfiguration? {
        guard let own = profiles?[name] else { return nil }
        var result = self
        result.url = own.url ?? url
        result.environment = own.environment ?? environment
        result.containers = own.containers ?? containers
        result.apiToken = own.apiToken ?? apiToken
        result.webAuthToken = own.webAuthToken ?? webAuthToken
        result.certificateAuthorityFile = own.certificateAuthorityFile ?? certificateAuthorityFile
        result.keys = own.keys ?? keys
        return result
    }
}

extension ClientConfiguration {
    /// Where `stratus.json` is looked for, in order: the file that `STRATUS_CONFIG` names, and no other; else one beside the
    /// executable, then one in the user's configuration directory.
    public static func places(_ variables: [String: String]) -> [String] {
        if let named = variables["STRATUS_CONFIG"] { return [named] }
        let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let directories = [
            executable.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } },
            CredentialsFile.configurationDirectory(variables),
        ]
        return directories.compactMap { $0.map { $0 + "/stratus.json" } }
    }

    /// The first file that there is; nil if there is none. Blocks.
    /// - Parameters:
    ///   - variables: the environment; `STRATUS_CONFIG` names a file that must be there.
    ///   - places: where to look.
    ///   - read: the bytes of a file; nil if there is none.
    public static func find(
        _ variables: [String: String], in places: [String], read: (String) throws -> Data? = contents
    ) throws(CredentialsError) -> ClientConfiguration? {
        for path in places {
            do {
                guard let data = try read(path) else { continue }
                return try JSONDecoder().decode(ClientConfiguration.self, from: data)
            } catch {
                throw CredentialsError("'\(path)' cannot be read: \(error)")
            }
        }
        if let path = variables["STRATUS_CONFIG"] {
            throw CredentialsError("STRATUS_CONFIG names '\(path)', which does not exist")
        }
        return nil
    }

    /// The bytes of a file; nil if there is none.
    public static func contents(of path: String) throws -> Data? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try Data(contentsOf: URL(filePath: path))
    }
}
