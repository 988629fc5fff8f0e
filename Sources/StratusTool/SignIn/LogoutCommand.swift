import StratusCommandLine
import StratusDeviceCredentials

/// `stratus logout`
enum LogoutCommand {
    private struct SignedOut: Encodable {
        struct Place: Encodable {
            var url: String
            var container: String
            var environment: String
        }

        var profile: String
        var signedOut: [Place]
    }

    static func command(_ output: Output) -> Command {
        Command(
            "logout", summary: "Signs you out of a cloud on this machine",
            discussion:
                "Removes the credentials of a profile, or of one of its containers, and ends their sessions on the "
                + "server. If the server cannot be reached, the credentials are still removed, and the exit "
                + "code is 1. The sessions end when they expire, or when you use 'Sign out everywhere' on the account "
                + "page.",
            options: [SignInOptions.profile, SignInOptions.container, SignInOptions.environment], output: output
        ) { context, values throws(ToolError) in
            let profile = try SignInOptions.profile(values)
            let (container, environment) = (values[SignInOptions.container], values[SignInOptions.environment])
            let file = try SignInOptions.file()
            let removed: [StoredSession]
            do throws(CredentialsError) {
                removed = try file.update { credentials in
                    credentials.remove(from: profile) {
                        (container ?? $0.container) == $0.container && (environment ?? $0.environment) == $0.environment
                    }
                }
            } catch {
                throw ToolError(error)
            }
            try context.output.result(
                SignedOut(
                    profile: profile,
                    signedOut: removed.map {
                        SignedOut.Place(url: $0.url, container: $0.container, environment: $0.environment)
                    }),
                text: removed.isEmpty
                    ? "nobody is signed in with the profile '\(profile)'"
                    : removed.map { "signed out of \($0.container) (\($0.environment)) at \($0.url)" }
                        .joined(separator: "\n"))
            var failures: [ToolError] = []
            for session in removed {
                do throws(ToolError) {
                    let client = try SignInClient(
                        url: session.url, certificateAuthorityFile: session.certificateAuthorityFile)
                    try await client.signOut(session.webAuthToken)
                } catch {
                    failures.append(error)
                }
            }
            guard let first = failures.first else { return .success }
            throw ToolError(
                "signed out here, but the session on the server could not be ended: \(first.message)", code: first.code)
        }
    }
}
