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
                throw .usage("give --password-stdin, and the password on standard input")
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
            "password", summary: "Gives an account another password; all its sessions end",
            discussion:
                "Asks for the password at a terminal. A password given as an argument could be seen by every user "
                + "of the machine, so scripts give it on standard input.",
            options: [email, passwordFromInput], output: output
        ) { context, values throws(ToolError) in
            let email = values[email]
            let password = try values[passwordFromInput] ? PasswordInput.firstLine() : PasswordInput.askForNew()
            _ = try await context.perform(.setPassword(email: email, password: password))
            try context.output.result(Updated(email: email), text: "account \(email) has another password")
            return .success
        }
    }

    private static func update(_ output: Output) -> Command {
        Command(
            "update", summary: "Changes the name or phone number of an account",
            discussion:
                "An empty value removes it. Others see the name only in containers where the account is discoverable.",
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
            "discover", summary: "Makes an account discoverable in a container, or not",
            discussion: "Who may be found is shown with its name to signed-in users of the container who know its "
                + "e-mail address, phone number or user record name. People choose this for themselves when they "
                + "sign in; until then nobody finds them.",
            options: [email] + TargetOptions.context + [allow], changes: true, output: output
        ) { context, values throws(ToolError) in
            let (email, isAllowed) = (values[email], values[allow] == .on)
            _ = try await context.perform(
                .setDiscoverable(email: email, context: try values.context, isDiscoverable: isAllowed))
            try context.output.result(
                Discoverable(email: email, discoverable: isAllowed),
                text: "account \(email) can \(isAllowed ? "" : "not ")be found")
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
