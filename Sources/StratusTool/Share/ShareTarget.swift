import StratusCloudModel
import StratusCommandLine
import StratusDeviceCredentials

/// Whose sessions a command uses, and which link it is about.
enum ShareTarget {
    static let link = Positional.required(
        "link", .string("link"), help: "The link of the share, or its part after /share/")

    /// Options of every command of `stratus share`.
    static let options: [any ParameterDeclaring] = [
        SignInOptions.profile, SignInOptions.container, SignInOptions.environment,
    ]

    /// The sessions that the command line means, the latest sign-in first.
    static func clients(_ values: Values) throws(ToolError) -> [ShareClient] {
        let profile = try SignInOptions.profile(values)
        let container = values[SignInOptions.container] ?? SignInOptions.variable("STRATUS_CONTAINER")
        let environment = values[SignInOptions.environment] ?? SignInOptions.variable("STRATUS_ENVIRONMENT")
        let file = try SignInOptions.file()
        let sessions: [StoredSession]
        do throws(CredentialsError) { sessions = try file.read().sessions(of: profile) } catch {
            throw ToolError(error)
        }
        let meant = sessions.filter {
            (container ?? $0.container) == $0.container && (environment ?? $0.environment) == $0.environment
        }
        guard !meant.isEmpty else {
            throw ToolError(
                "you are not signed in with the profile '\(profile)'\(container.map { " to \($0)" } ?? ""); run "
                    + "'stratus login'", code: "AUTHENTICATION_REQUIRED")
        }
        return meant.map { ShareClient($0, profile: profile, file: file) }
    }

    /// What a link leads to, and the session for it. A link names no container: those of its server are tried.
    static func resolve(_ values: Values) async throws(ToolError) -> (client: ShareClient, link: ShareLink) {
        let (server, shortGUID) = try parts(of: values[link])
        let clients = try clients(values).filter { server == nil || $0.session.url == server }
        guard !clients.isEmpty else {
            throw ToolError(
                "you are not signed in to '\(server ?? "")'; run 'stratus login \(server ?? "")'",
                code: "AUTHENTICATION_REQUIRED")
        }
        var failure = ToolError(CloudError(.notFound, "there is no share at the link"))
        for client in clients {
            do throws(ToolError) {
                return (client, try await client.resolve(shortGUID))
            } catch {
                guard error.code == CloudError.Code.notFound.rawValue else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// The server and the short GUID of a link; no server for a short GUID alone.
    static func parts(of text: String) throws(ToolError) -> (server: String?, shortGUID: String) {
        let address = text.prefix { $0 != "?" && $0 != "#" }
        guard address.contains("/") else { return (nil, String(address)) }
        let pieces = address.split(separator: "/share/", maxSplits: 1, omittingEmptySubsequences: false)
        guard pieces.count == 2, !pieces[1].isEmpty, !pieces[1].contains("/") else {
            throw .usage("'\(text)' is not a share link such as https://cloud.example/share/…")
        }
        try SignInTarget.check(url: String(pieces[0]))
        return (String(pieces[0]), String(pieces[1]))
    }
}
