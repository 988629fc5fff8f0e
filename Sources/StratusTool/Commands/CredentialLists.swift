import StratusCloudServer
import StratusCommandLine

/// `stratus token list|revoke` and `stratus key list|revoke`
enum CredentialLists {
    private struct Tokens: Encodable {
        var tokens: [ControlCredential]
    }

    private struct Keys: Encodable {
        var keys: [ControlCredential]
    }

    private struct Revoked: Encodable {
        var revoked: String
    }

    private static let token = Positional.required(
        "token", .string("token"), help: "The identifier that 'token list' prints, or the token itself")
    private static let key = Positional.required("key", .string("key"), help: "The key's identifier")

    static func tokens(_ output: Output) -> Command {
        Command(
            "list",
            summary:
                "Lists the API tokens of an environment by their identifiers; the tokens themselves are not stored",
            options: TargetOptions.context, output: output
        ) { context, values throws(ToolError) in
            let tokens = try await credentials(.listTokens(context: try values.context), context)
            let lines = tokens.map { token in
                let origins = token.allowedOrigins.isEmpty ? "any origin" : token.allowedOrigins.joined(separator: " ")
                let callback = token.signInCallback.map { ["to \($0)"] } ?? []
                return line(token, [origins] + callback)
            }
            try context.output.result(Tokens(tokens: tokens), text: lines.joined(separator: "\n"))
            return .success
        }
    }

    static func keys(_ output: Output) -> Command {
        Command(
            "list", summary: "Lists the server-to-server keys of an environment", options: TargetOptions.context,
            output: output
        ) { context, values throws(ToolError) in
            let keys = try await credentials(.listKeys(context: try values.context), context)
            let lines = keys.map { key in line(key, key.userRecordName.map { ["as \($0)"] } ?? []) }
            try context.output.result(Keys(keys: keys), text: lines.joined(separator: "\n"))
            return .success
        }
    }

    static func revokeToken(_ output: Output) -> Command {
        Command(
            "revoke", summary: "Revokes an API token at once, and disconnects the clients that use it",
            options: TargetOptions.context, positionals: [token], changes: true, output: output
        ) { context, values throws(ToolError) in
            let id = values[token]
            try await revoke(.revokeToken(context: try values.context, id: id), id, context)
            return .success
        }
    }

    static func revokeKey(_ output: Output) -> Command {
        Command(
            "revoke", summary: "Revokes a server-to-server key at once", options: TargetOptions.context,
            positionals: [key], changes: true, output: output
        ) { context, values throws(ToolError) in
            let id = values[key]
            try await revoke(.revokeKey(context: try values.context, id: id), id, context)
            return .success
        }
    }

    private static func credentials(
        _ request: ControlRequest, _ context: ToolContext
    ) async throws(ToolError) -> [ControlCredential] {
        guard case .credentials(let credentials) = try await context.perform(request) else { throw .unexpectedAnswer }
        return credentials
    }

    /// The whole token is a secret, also in what is printed.
    private static func revoke(
        _ request: ControlRequest, _ id: String, _ context: ToolContext
    ) async throws(ToolError) {
        guard case .done = try await context.perform(request) else { throw .unexpectedAnswer }
        try context.output.result(Revoked(revoked: String(id.prefix(16))), text: "revoked")
    }

    private static func line(_ credential: ControlCredential, _ more: [String]) -> String {
        ([credential.id, TimeText.utc(milliseconds: credential.created), credential.name] + more)
            .joined(separator: "  ")
    }
}
