import StratusCloudServer
import StratusCommandLine

/// `stratus token …` and `stratus session …`
enum CredentialCommands {
    private struct Token: Encodable {
        var token: String
    }

    private struct SignedIn: Encodable {
        var webAuthToken: String
        var userRecordName: String
    }

    private static let name = Option.value(
        "name", .string("name"), default: "token", help: "A name for the token")
    private static let callback = Option.optional(
        "callback", .string("url"),
        help: "The address that a browser opens after sign-in; without it, the page posts a message to its opener")
    private static let origin = Option.repeated(
        "origin", .string("origin"),
        help: "An origin such as https://app.example that may use the token in browsers; any origin if none is given")
    private static let email = Option.required("email", .string("address"), help: "The account")

    static func token(_ output: Output) -> Command {
        Command(
            "token", summary: "Creates, lists and revokes API tokens",
            subcommands: [
                createToken(output), CredentialLists.tokens(output), CredentialLists.revokeToken(output),
            ],
            hints: [
                "delete": "'stratus token revoke' revokes a token", "remove": "'stratus token revoke' revokes a token",
            ])
    }

    static func session(_ output: Output) -> Command {
        Command("session", summary: "Creates sessions for scripts", subcommands: [createSession(output)])
    }

    private static func createToken(_ output: Output) -> Command {
        Command(
            "create", summary: "Creates an API token, and prints it only once",
            options: TargetOptions.context + [name, callback, origin], changes: true, output: output
        ) { context, values throws(ToolError) in
            let request = ControlRequest.createToken(
                context: try values.context, name: values[name], callback: values[callback], origins: values[origin])
            guard case .token(let token) = try await context.perform(request) else { throw .unexpectedAnswer }
            try context.output.result(Token(token: token), text: token)
            return .success
        }
    }

    private static func createSession(_ output: Output) -> Command {
        Command(
            "create", summary: "Signs an account in without its password and prints a web auth token",
            discussion: "The token is valid for two weeks. Percent-encode it in URLs.",
            options: TargetOptions.context + [email], changes: true, output: output
        ) { context, values throws(ToolError) in
            let request = ControlRequest.createSession(email: values[email], context: try values.context)
            guard case .session(let token, let user) = try await context.perform(request) else {
                throw .unexpectedAnswer
            }
            try context.output.result(SignedIn(webAuthToken: token, userRecordName: user), text: token)
            return .success
        }
    }
}
