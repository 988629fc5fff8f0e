import Foundation
import StratusDeviceCredentials

/// Who is signed in, as far as the directories of containers depend on it. Found as `import CloudKit` finds it:
/// variables of the environment first, then `stratus.json`, then what `stratus login` stored.
package struct UbiquityAccount: Hashable, Sendable {
    /// The cloud, the environment, and who the person is there: their name in the container, or the token that stands
    /// for them where only that is known.
    let identity: [String]
    /// The containers of the program, the first one the default.
    package let containers: [String]
    /// The person's name in the container, where it is known.
    var userRecordName: String?

    /// The account; nil if nobody is signed in. Blocks.
    package static func current() -> UbiquityAccount? { current(UbiquityEnvironment.variables) }

    static func current(_ variables: [String: String]) -> UbiquityAccount? {
        func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        let profile = value("STRATUS_PROFILE")
        var file = try? ClientConfiguration.find(variables, in: ClientConfiguration.places(variables))
        if let profile { file = file.flatMap { $0.profile(profile) } ?? file }
        let stored = try? CredentialsFile(environment: variables)?.read()
        let sessions = stored?.sessions(of: profile ?? StoredCredentials.standardProfile) ?? []
        guard let url = value("STRATUS_URL") ?? file?.url ?? sessions.first?.url else { return nil }

        let environment = value("STRATUS_ENVIRONMENT") ?? file?.environment
        let session = sessions.first { $0.url == url && (environment ?? $0.environment) == $0.environment }
        var names = [value("STRATUS_CONTAINER")].compactMap { $0 } + (file?.containers ?? []).map(\.identifier)
        names += sessions.filter { $0.url == url }.map(\.container)
        let token = value("STRATUS_WEB_AUTH_TOKEN") ?? file?.webAuthToken
        guard let person = token ?? session?.userRecordName else { return nil }
        var seen: Set<String> = []
        return UbiquityAccount(
            identity: [url, environment ?? session?.environment ?? "development", person],
            containers: names.filter { seen.insert($0).inserted },
            userRecordName: token == nil ? session?.userRecordName : nil)
    }
}
