import StratusCloudServer
import StratusCloudService
import StratusCommandLine

/// `stratus developer …`: accounts for the console, which are apart from people's.
enum DeveloperCommands {
    private struct Listed: Encodable {
        var developers: [ControlDeveloper]
    }

    private struct Invited: Encodable {
        var code: String
        var path: String
    }

    private struct Changed: Encodable {
        var email: String
    }

    private static let address = Option.required("email", .string("address"), help: "The developer's address")
    private static let invited = Option.optional(
        "email", .string("address"), help: "The address of the person you invite; required for a team")
    private static let owner = Option.flag(
        "owner", help: "Invites an owner of the server, who can create containers and is an admin of all teams")
    private static let container = Option.optional(
        "container", .string("identifier"), help: "Invites to the team of this container")
    private static let role = Option.optional(
        "role", ValueKind<TeamRole>.choice(placeholder: "role"),
        help: "The role in the team: viewer, developer or admin")
    private static let passwordFromInput = Option.flag(
        "password-stdin", help: "Reads the password from standard input, up to the first line break")

    static func command(_ output: Output) -> Command {
        Command(
            "developer", summary: "Manages who may use the console",
            subcommands: [list(output), invite(output), remove(output), password(output)],
            hints: [
                "create": "'stratus developer invite' invites a developer",
                "delete": "'stratus developer remove' removes one",
            ])
    }

    private static func list(_ output: Output) -> Command {
        Command("list", summary: "Lists the developers", output: output) { context, _ throws(ToolError) in
            guard case .developers(let developers) = try await context.perform(.developer(.list)) else {
                throw .unexpectedAnswer
            }
            let lines = developers.map { "\($0.email)  \($0.name)\($0.isOwner ? "  owner" : "")" }
            try context.output.list(Listed(developers: developers), lines, empty: "there are no developers")
            return .success
        }
    }

    private static func invite(_ output: Output) -> Command {
        Command(
            "invite", summary: "Creates a one-time code that invites a developer to the console",
            discussion:
                "The code is shown only once. It is valid for one day with --owner, and for seven days for a team.",
            options: [owner, invited, container, role], output: output
        ) { context, values throws(ToolError) in
            let request: ControlDeveloperRequest
            switch (values[owner], values[container], values[role], values[invited]) {
            case (true, nil, nil, let email): request = .inviteOwner(email: email, by: OperatorName.current)
            case (false, let container?, let role?, let email?):
                request = .invite(
                    email: email, container: container, role: role.rawValue, by: OperatorName.current)
            default: throw .usage("give either --owner, or --container, --role and --email")
            }
            guard case .code(let code) = try await context.perform(.developer(request)) else {
                throw .unexpectedAnswer
            }
            let path = ConsoleAddress.path(invitedBy: code, isOwner: values[owner])
            try context.output.result(
                Invited(code: code, path: path), text: "code \(code)\nopen \(path) on the server")
            return .success
        }
    }

    private static func remove(_ output: Output) -> Command {
        Command(
            "remove", summary: "Removes a developer from all teams and ends their sessions",
            options: [address], output: output
        ) { context, values throws(ToolError) in
            let email = values[address]
            _ = try await context.perform(.developer(.remove(email: email)))
            try context.output.result(Changed(email: email), text: "developer \(email) is removed")
            return .success
        }
    }

    private static func password(_ output: Output) -> Command {
        Command(
            "password",
            summary: "Sets a developer's password, ends all their sessions and removes the link to an account",
            options: [address, passwordFromInput], output: output
        ) { context, values throws(ToolError) in
            guard values[passwordFromInput] else {
                throw .usage("--password-stdin is required; pass the password on standard input")
            }
            let email = values[address]
            _ = try await context.perform(
                .developer(.setPassword(email: email, password: try PasswordInput.firstLine())))
            try context.output.result(Changed(email: email), text: "developer \(email) has a new password")
            return .success
        }
    }
}
