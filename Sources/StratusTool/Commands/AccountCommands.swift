import StratusCloudService
import StratusCommandLine

/// `stratus account …`
enum AccountCommands {
    private struct Created: Encodable {
        var email: String
    }

    private struct Updated: Encodable {
        var email: String
    }

    private struct Discoverable: Encodable {
        var email: String
        var discoverable: Bool
    }

    private enum Choice: String, CaseIterable, Sendable { case on, off }

    private static let allow = Option.required(
        "allow", ValueKind<Choice>.choice(placeholder: "choice"), help: "Whether others can find the account")

    private struct Listed: Encodable {
        var accounts: [String]
    }

    private static let email = Option.required("email", .string("address"), help: "The address to sign in with")
    private static let passwordFromInput = Option.flag(
        "password-stdin", help: "Reads the password from standard input, up to the first line break")

    static func command(_ output: Output) -> Command {
        Command(
            "account", summary: "Creates, changes and lists accounts",
            subcommands: [
                create(output), password(output), update(output), discover(output), list(output),
                AppPasswordCommands.command(output),
            ],
            hints: Dictionary(
                uniqueKeysWithValues: ["delete", "remove", "erase"].map {
                    ($0, "'stratus user erase' erases a person with the account")
                }))
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Creates an account that a person signs in with",
            discussion:
                "Every user of the machine can see the arguments of a command, so the password is read from standard "
                + "input.",
            options: [email, passwordFromInput] + AccountProfileOptions.all, output: output
        ) { context, values throws(ToolError) in
            guard values[passwordFromInput] else {
                throw .usage("--password-stdin is required; pass the password on standard input")
            }
            let email = values[email]
            _ = try await context.perform(
                .createAccount(
                    email: email, password: try PasswordInput.firstLine(),
                    profile: AccountProfileOptions.profile(values)))
            try context.output.result(Created(email: email), text: "account \(email) is created")
            return .success
        }
    }

    private static func password(_ output: Output) -> Command {
        Command(
            "password", summary: "Sets the password of an account, and ends all its sessions",
            discussion:
                "Asks for the password in the terminal. Scripts pass it on standard input, because every user of the "
                + "machine can see the arguments of a command.",
            options: [email, passwordFromInput], output: output
        ) { context, values throws(ToolError) in
            let email = values[email]
            let password = try values[passwordFromInput] ? PasswordInput.firstLine() : PasswordInput.askForNew()
            _ = try await context.perform(.setPassword(email: email, password: password))
            try context.output.result(Updated(email: email), text: "account \(email) has a new password")
            return .success
        }
    }

    private static func update(_ output: Output) -> Command {
        Command(
            "update", summary: "Changes the name or phone number of an account",
            discussion:
                "An empty value removes the name or number. Others see the name only in containers where the "
                + "account is discoverable.",
            options: [email] + AccountProfileOptions.all, output: output
        ) { context, values throws(ToolError) in
            let email = values[email]
            let profile = AccountProfileOptions.profile(values)
            _ = try await context.perform(.updateProfile(email: email, profile: profile))
            try context.output.result(Updated(email: email), text: "account \(email) is changed")
            return .success
        }
    }

    private static func discover(_ output: Output) -> Command {
        Command(
            "discover", summary: "Sets whether an account is discoverable in a container",
            discussion: "Signed-in users of the container who know the e-mail address, phone number or user record "
                + "name of a discoverable account see its name. People choose this when they sign in. Before that, "
                + "nobody can find them.",
            options: [email] + TargetOptions.context + [allow], changes: true, output: output
        ) { context, values throws(ToolError) in
            let (email, isAllowed) = (values[email], values[allow] == .on)
            _ = try await context.perform(
                .setDiscoverable(email: email, context: try values.context, isDiscoverable: isAllowed))
            try context.output.result(
                Discoverable(email: email, discoverable: isAllowed),
                text: "account \(email) is \(isAllowed ? "now" : "no longer") discoverable")
            return .success
        }
    }

    private static func list(_ output: Output) -> Command {
        Command("list", summary: "Lists the accounts' addresses", output: output) { context, _ throws(ToolError) in
            guard case .names(let names) = try await context.perform(.listAccounts) else { throw .unexpectedAnswer }
            try context.output.list(Listed(accounts: names), names, empty: "there is no account")
            return .success
        }
    }
}
