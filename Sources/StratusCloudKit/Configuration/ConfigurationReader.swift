import DeviceCredentials
import Foundation

/// Puts the configuration together from the environment, `stratus.json` and the stored credentials. Pure, but for ``system``.
struct ConfigurationReader {
    /// The variables.
    var variables: [String: String]
    /// Where `stratus.json` may be, in the order in which it is looked for.
    var files: [String]
    /// The bytes of a file; nil if there is none.
    var read: (String) throws -> Data?
    /// Who is signed in, by profile.
    var sessions: (String) throws -> [StoredSession] = { _ in [] }

    /// Of this process: the file that `STRATUS_CONFIG` names, one beside the executable, one in the user's configuration
    /// directory.
    static var system: ConfigurationReader {
        let variables = ProcessInfo.processInfo.environment
        var files: [String] = []
        if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            files.append(URL(fileURLWithPath: link).deletingLastPathComponent().path + "/stratus.json")
        }
        if let directory = CredentialsFile.configurationDirectory(variables) {
            files.append(directory + "/stratus.json")
        }
        let read = { (path: String) -> Data? in
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
        return ConfigurationReader(variables: variables, files: files, read: read) { profile in
            try CredentialsFile(environment: variables)?.read().sessions(of: profile) ?? []
        }
    }

    func configuration() throws(StratusConfiguration.Failure) -> StratusConfiguration {
        let profile = variables["STRATUS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        let sessions = try sessions(of: profile ?? StoredCredentials.standardProfile)
        let file = try file(profile, isKnown: !sessions.isEmpty)
        func value(_ variable: String, _ member: String?) -> String? {
            variables[variable].flatMap { $0.isEmpty ? nil : $0 } ?? member
        }
        guard let url = value("STRATUS_URL", file?.url) ?? sessions.first?.url else {
            throw StratusConfiguration.Failure(
                description: "There is no cloud to use: sign in with 'stratus login', set STRATUS_URL, or write a "
                    + "stratus.json "
                    + "(looked for in \(searched.joined(separator: ", "))).")
        }
        var containers = file?.containers?.list ?? []
        if let named = value("STRATUS_CONTAINER", nil) {
            let known = containers.first { $0.identifier == named }
            containers.removeAll { $0.identifier == named }
            containers.insert(known ?? StratusConfiguration.Container(named), at: 0)
        }
        // A token of the environment is meant for whatever is used.
        for index in containers.indices {
            if value("STRATUS_API_TOKEN", nil) != nil { containers[index].apiToken = nil }
            if value("STRATUS_WEB_AUTH_TOKEN", nil) != nil { containers[index].webAuthToken = nil }
        }
        return StratusConfiguration(
            url: url,
            environment: value("STRATUS_ENVIRONMENT", file?.environment)
                ?? sessions.first { $0.url == StratusConfiguration.address(url) }?.environment ?? "development",
            containers: containers, apiToken: value("STRATUS_API_TOKEN", file?.apiToken),
            webAuthToken: value("STRATUS_WEB_AUTH_TOKEN", file?.webAuthToken),
            certificateAuthorityFile: value("STRATUS_CA_FILE", file?.certificateAuthorityFile),
            profile: profile ?? StoredCredentials.standardProfile,
            stateDirectory: value("STRATUS_STATE_DIRECTORY", nil),
            keyStorage: StratusConfiguration.KeyStorage(value("STRATUS_KEYS", file?.keys)))
    }

    private func sessions(of profile: String) throws(StratusConfiguration.Failure) -> [StoredSession] {
        do { return try sessions(profile) } catch { throw StratusConfiguration.Failure(description: "\(error).") }
    }

    private var searched: [String] { variables["STRATUS_CONFIG"].map { [$0] } ?? files }

    /// The first file there is, with the profile that is asked for over it.
    private func file(_ profile: String?, isKnown: Bool) throws(StratusConfiguration.Failure) -> ConfigurationFile? {
        var found: ConfigurationFile?
        for path in searched {
            do {
                guard let data = try read(path) else { continue }
                found = try JSONDecoder().decode(ConfigurationFile.self, from: data)
            } catch {
                throw StratusConfiguration.Failure(description: "'\(path)' cannot be read: \(error)")
            }
            break
        }
        if found == nil, let path = variables["STRATUS_CONFIG"] {
            throw StratusConfiguration.Failure(description: "STRATUS_CONFIG names '\(path)', which is not there.")
        }
        guard let profile else { return found }
        guard let own = found?.profiles?[profile] else {
            if isKnown { return found }
            throw StratusConfiguration.Failure(
                description:
                    "STRATUS_PROFILE names the profile '\(profile)', under which nobody is signed in, and which "
                    + "is in no stratus.json.")
        }
        return found.map { own.over($0) }
    }
}
