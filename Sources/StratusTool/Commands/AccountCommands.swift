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
        "allow", ValueKind<Choice>.choice(placeholder: "choice"), help: "Whether others may find the account")

    private struct Listed: Encodable {
        var accounts: [String]
    }

    private static let email = Option.required("email", .string("address"), help: "The address to sign in with")
    private static let passwordFromInput = Option.flag(
        "password-stdin", help: "Reads the password from standard input, up to the first line break")

    static func command(_ output: Output) -> Command {
        Command(
            "account", summary: "Makes, changes and lists accounts",
            subcommands: [create(output), password(output), update(output), discover(output), list(output)])
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Makes an account that people sign in with",
            discussion: "A password given as an argument could be seen by every user of the machine, so it is read "
                + "from standard input.",
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
            try context.output.result(Created(email: email), text: "account \(email) is made")
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
            "update", summary: "Changes what an account says of its person",
            discussion: "An empty value removes what was said. Others see a name only where the account may be found.",
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
            "discover", summary: "Lets an account be found in a container, or no longer",
            discussion: "Who may be found is shown with its name to signed-in users of the container who know its "
                + "e-mail address, phone number or user record name. People choose this for themselves when they "
                + "sign in; until then nobody finds them.",
            options: [email] + TargetOptions.context + [allow], output: output
        ) { context, values throws(ToolError) in
            let (email, isAllowed) = (values[email], values[allow] == .on)
            _ = try await context.perform(
                .setDiscoverable(email: email, context: values.context, isDiscoverable: isAllowed))
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
