import StratusCloudServer
import StratusCommandLine

/// `stratus role …`
enum RoleCommands {
    private struct Roles: Encodable {
        var roles: [String]
    }

    private struct Members: Encodable {
        var role: String
        var members: [String]
    }

    private struct Changed: Encodable {
        var role: String
        var user: String?
        var isMember: Bool?
    }

    private static let role = Positional.required("role", .string("role"), help: "The name of the role")
    private static let user = Positional.required(
        "user", .string("user"), help: "An account's e-mail address, or a user record name")

    static func command(_ output: Output) -> Command {
        Command(
            "role", summary: "Manages security roles and their members",
            discussion:
                "A role gives its members permissions in the public database: the schema grants it READ, CREATE or "
                + "WRITE on record types. Roles are created in development and deployed with the schema. Each "
                + "environment has its own members.",
            subcommands: [list(output), create(output), delete(output), members(output), add(output), remove(output)])
    }

    private static func list(_ output: Output) -> Command {
        Command(
            "list", summary: "Lists the roles of an environment", options: TargetOptions.context, output: output
        ) { context, values throws(ToolError) in
            let names = try await names(.listRoles(context: try values.context), context)
            try context.output.result(Roles(roles: names), text: names.joined(separator: "\n"))
            return .success
        }
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Creates a role in development", options: TargetOptions.context, positionals: [role],
            changes: true, output: output
        ) { context, values throws(ToolError) in
            try await done(
                .createRole(context: try values.context, role: values[role], by: OperatorName.current), context)
            try context.output.result(Changed(role: values[role]), text: "role \(values[role]) is created")
            return .success
        }
    }

    private static func delete(_ output: Output) -> Command {
        Command(
            "delete", summary: "Deletes a role from development, unless it has grants",
            options: TargetOptions.context, positionals: [role], changes: true, output: output
        ) { context, values throws(ToolError) in
            try await done(
                .deleteRole(context: try values.context, role: values[role], by: OperatorName.current), context)
            try context.output.result(Changed(role: values[role]), text: "role \(values[role]) is deleted")
            return .success
        }
    }

    private static func members(_ output: Output) -> Command {
        Command(
            "members", summary: "Lists the user record names of a role's members", options: TargetOptions.context,
            positionals: [role], output: output
        ) { context, values throws(ToolError) in
            let names = try await names(.listMembers(context: try values.context, role: values[role]), context)
            try context.output.result(
                Members(role: values[role], members: names), text: names.joined(separator: "\n"))
            return .success
        }
    }

    private static func add(_ output: Output) -> Command {
        membership(output, "add", "Adds a user to a role", isMember: true)
    }

    private static func remove(_ output: Output) -> Command {
        membership(output, "remove", "Removes a user from a role", isMember: false)
    }

    private static func membership(
        _ output: Output, _ name: String, _ summary: String, isMember: Bool
    ) -> Command {
        Command(
            name, summary: summary, options: TargetOptions.context, positionals: [role, user], changes: true,
            output: output
        ) { context, values throws(ToolError) in
            let request = ControlSchemaRequest.setMembership(
                context: try values.context, role: values[role], user: values[user], isMember: isMember)
            guard let user = try await names(request, context).first else { throw .unexpectedAnswer }
            try context.output.result(
                Changed(role: values[role], user: user, isMember: isMember),
                text: "\(user) is \(isMember ? "now a" : "no longer a") member of \(values[role])")
            return .success
        }
    }

    private static func names(
        _ request: ControlSchemaRequest, _ context: ToolContext
    ) async throws(ToolError) -> [String] {
        guard case .names(let names) = try await context.perform(.schema(request)) else { throw .unexpectedAnswer }
        return names
    }

    private static func done(_ request: ControlSchemaRequest, _ context: ToolContext) async throws(ToolError) {
        guard case .done = try await context.perform(.schema(request)) else { throw .unexpectedAnswer }
    }
}
