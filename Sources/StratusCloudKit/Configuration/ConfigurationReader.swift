import Foundation
import StratusDeviceCredentials

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

    /// Of this process.
    static var system: ConfigurationReader {
        let variables = ProcessInfo.processInfo.environment
        return ConfigurationReader(
            variables: variables, files: ClientConfiguration.places(variables), read: ClientConfiguration.contents
        ) { profile in
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
        var containers = (file?.containers ?? []).map {
            StratusConfiguration.Container($0.identifier, apiToken: $0.apiToken, webAuthToken: $0.webAuthToken)
        }
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
    private func file(_ profile: String?, isKnown: Bool) throws(StratusConfiguration.Failure) -> ClientConfiguration? {
        let found: ClientConfiguration?
        do throws(CredentialsError) {
            found = try ClientConfiguration.find(variables, in: searched, read: read)
        } catch {
            throw StratusConfiguration.Failure(description: "\(error).")
        }
        guard let profile else { return found }
        guard let own = found?.profile(profile) else {
            if isKnown { return found }
            throw StratusConfiguration.Failure(
                description:
                    "STRATUS_PROFILE names the profile '\(profile)', under which nobody is signed in, and which "
                    + "is in no stratus.json.")
        }
        return own
    }
}
