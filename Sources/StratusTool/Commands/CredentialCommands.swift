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
        "name", .string("name"), default: "token", help: "What the operator calls the token")
    private static let callback = Option.optional(
        "callback", .string("url"),
        help: "Where a browser goes after signing in; without it, the page posts a message to who opened it")
    private static let origin = Option.repeated(
        "origin", .string("origin"),
        help: "An origin such as https://app.example that browsers may use the token from; all if none is given")
    private static let email = Option.required("email", .string("address"), help: "The account")

    static func token(_ output: Output) -> Command {
        Command(
            "token", summary: "Makes, lists and revokes API tokens",
            subcommands: [
                createToken(output), CredentialLists.tokens(output), CredentialLists.revokeToken(output),
            ])
    }

    static func session(_ output: Output) -> Command {
        Command("session", summary: "Makes sessions for scripts", subcommands: [createSession(output)])
    }

    private static func createToken(_ output: Output) -> Command {
        Command(
            "create", summary: "Makes an API token and prints it: 64 hexadecimal digits, shown this once",
            options: TargetOptions.context + [name, callback, origin], output: output
        ) { context, values throws(ToolError) in
            let request = ControlRequest.createToken(
                context: values.context, name: values[name], callback: values[callback], origins: values[origin])
            guard case .token(let token) = try await context.perform(request) else { throw .unexpectedAnswer }
            try context.output.result(Token(token: token), text: token)
            return .success
        }
    }

    private static func createSession(_ output: Output) -> Command {
        Command(
            "create", summary: "Signs an account in without its password and prints a web auth token",
            discussion: "The token is valid for two weeks. In an address it must be percent-encoded.",
            options: TargetOptions.context + [email], output: output
        ) { context, values throws(ToolError) in
            let request = ControlRequest.createSession(email: values[email], context: values.context)
            guard case .session(let token, let user) = try await context.perform(request) else {
                throw .unexpectedAnswer
            }
            try context.output.result(SignedIn(webAuthToken: token, userRecordName: user), text: token)
            return .success
        }
    }
}
