import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// `stratus account app-password …`
enum AppPasswordCommands {
    private struct Created: Encodable {
        var email: String
        var name: String
        var environment: String
        var password: String
    }

    private struct Listed: Encodable {
        var appPasswords: [ControlAppPassword]
    }

    private struct Deleted: Encodable {
        var email: String
        var name: String
    }

    private static let email = Option.required("email", .string("address"), help: "The account")
    private static let name = Option.required(
        "name", .string("name"), help: "A name for it, such as the device or program that uses it")
    private static let environment = Option.optional(
        "environment", ValueKind<CloudEnvironment>.choice(placeholder: "environment"),
        help: "The environment whose data it opens; $STRATUS_ENVIRONMENT, the context, or development by default")
    private static let allowDelete = Option.flag(
        "allow-delete", help: "Allows it to delete backups, as 'device forget' does")

    static func command(_ output: Output) -> Command {
        Command(
            "app-password", summary: "Creates, lists and deletes an account's app passwords",
            discussion:
                "Programs that cannot sign in on a page, such as file managers and backups, use an app password "
                + "with the account's e-mail address. It opens /dav and /backup, and nothing else. People create "
                + "theirs on the account page of the server, /account.",
            subcommands: [create(output), list(output), delete(output)],
            hints: ["revoke": "'stratus account app-password delete' revokes an app password"])
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Creates an app password, and prints it only once",
            options: [email, name, environment, allowDelete], output: output
        ) { context, values throws(ToolError) in
            let (email, name) = (values[email], values[name])
            let environment = try values.environmentOrDevelopment
            let request = ControlAppPasswordRequest.create(
                email: email, name: name, environment: environment, mayDeleteBackups: values[allowDelete])
            guard case .code(let password) = try await context.perform(.appPassword(request)) else {
                throw .unexpectedAnswer
            }
            try context.output.result(
                Created(email: email, name: name, environment: environment, password: password), text: password)
            return .success
        }
    }

    private static func list(_ output: Output) -> Command {
        Command(
            "list", summary: "Lists an account's app passwords by their names; the passwords themselves are not stored",
            options: [email], output: output
        ) { context, values throws(ToolError) in
            let request = ControlAppPasswordRequest.list(email: values[email])
            guard case .appPasswords(let passwords) = try await context.perform(.appPassword(request)) else {
                throw .unexpectedAnswer
            }
            let lines = passwords.map { password in
                let use = password.lastUsed.map { "last used \(CalendarDay(milliseconds: $0))" } ?? "never used"
                return [
                    password.name, password.environment, "created \(CalendarDay(milliseconds: password.created))", use,
                ].joined(separator: "  ") + (password.mayDeleteBackups ? "  may delete backups" : "")
            }
            try context.output.list(
                Listed(appPasswords: passwords), lines, empty: "the account has no app password")
            return .success
        }
    }

    private static func delete(_ output: Output) -> Command {
        Command(
            "delete", summary: "Deletes an app password; the next request that comes with it is refused",
            options: [email, name], output: output
        ) { context, values throws(ToolError) in
            let (email, name) = (values[email], values[name])
            _ = try await context.perform(.appPassword(.delete(email: email, name: name)))
            try context.output.result(Deleted(email: email, name: name), text: "app password \(name) is deleted")
            return .success
        }
    }
}
