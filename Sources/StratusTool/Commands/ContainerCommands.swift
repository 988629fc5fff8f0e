import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// `stratus container …`
enum ContainerCommands {
    private struct Created: Encodable {
        var container: String
    }

    private struct Listed: Encodable {
        var containers: [String]
    }

    private static let name = Positional.required(
        "identifier", .string("identifier"),
        help: "Begins with 'iCloud.'; ASCII letters, digits, '-', '_' and '.'")

    static func command(_ output: Output) -> Command {
        Command(
            "container", summary: "Creates, lists and deletes containers",
            subcommands: [create(output), list(output), app(output), delete(output)],
            hints: [
                "remove": "'stratus container delete' deletes a container",
                "reset": "'stratus schema reset' deletes the data of the development environment",
            ])
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Creates a container with its two environments", positionals: [name], output: output
        ) { context, values throws(ToolError) in
            _ = try await context.perform(.createContainer(identifier: values[name]))
            try context.output.result(
                Created(container: values[name]), text: "container \(values[name]) is created")
            return .success
        }
    }

    /// Any text, the empty one included.
    private static let template = ValueKind<String>(placeholder: "template") { text throws(UsageError) in text }
    private static let appURL = Option.optional(
        "url", template,
        help:
            "The address that the page of a share opens, such as https://app.example/open?share={url}; empty removes it"
    )
    private static let appCommand = Option.optional(
        "command", template,
        help: "The command that the page offers to copy, such as 'notes join {url}'; empty removes it")

    private struct App: Encodable {
        var container: String
        var url: String?
        var command: String?
    }

    private static func app(_ output: Output) -> Command {
        Command(
            "app", summary: "Sets how people who accept a share continue to the app",
            discussion: "In both templates, {url} is replaced by the share link. Without options, prints the current "
                + "templates.",
            options: [appURL, appCommand], positionals: [name], output: output
        ) { context, values throws(ToolError) in
            guard
                case .appLink(let url, let command) = try await context.perform(
                    .setAppLink(container: values[name], url: values[appURL], command: values[appCommand]))
            else { throw .unexpectedAnswer }
            try context.output.result(
                App(container: values[name], url: url, command: command),
                text: "url: \(url ?? "none")\ncommand: \(command ?? "none")")
            return .success
        }
    }

    private struct Deleted: Encodable {
        var deleted: String
        var lost: ControlContainer
    }

    private static let yes = Option.flag("yes", help: "Does not ask for confirmation")

    private static func delete(_ output: Output) -> Command {
        Command(
            "delete", summary: "Deletes a container with all data of both its environments",
            discussion:
                "Shows what will be deleted, and asks for the container's name. Only a backup can bring the data "
                + "back. Records, assets, shares, schemas, tokens, keys, sessions, test accounts and the team are "
                + "deleted. People's accounts are kept. If the command is interrupted, run it again; the server also "
                + "continues when it next starts.",
            options: [yes], positionals: [name], output: output
        ) { context, values throws(ToolError) in
            let container = values[name]
            let lost = try await contents(of: container, context)
            if !values[yes] {
                if let lost { context.output.note(lost.text) }
                try Confirmation.ask(
                    "This permanently deletes \(container) and everything in it.", expecting: container, context)
            }
            guard case .done = try await context.perform(.deleteContainer(identifier: container)) else {
                throw .unexpectedAnswer
            }
            try context.output.result(
                Deleted(deleted: container, lost: lost ?? ControlContainer(environments: [], teamMembers: 0)),
                text: "container \(container) is deleted")
            return .success
        }
    }

    /// Returns what a container holds; nil for one whose deletion was interrupted.
    private static func contents(
        of container: String, _ context: ToolContext
    ) async throws(ToolError) -> ControlContainer? {
        do throws(ToolError) {
            guard case .container(let contents) = try await context.perform(.describeContainer(identifier: container))
            else { throw .unexpectedAnswer }
            return contents
        } catch {
            // Deleting decides whether there is something left of it.
            guard error.code == CloudError.Code.notFound.rawValue else { throw error }
            return nil
        }
    }

    private static func list(_ output: Output) -> Command {
        Command("list", summary: "Lists the containers by name", output: output) { context, _ throws(ToolError) in
            guard case .names(let names) = try await context.perform(.listContainers) else {
                throw .unexpectedAnswer
            }
            try context.output.list(Listed(containers: names), names, empty: "there are no containers")
            return .success
        }
    }
}

extension Output {
    /// A list, one name a line; `empty` is noted when there is none.
    func list(_ value: some Encodable, _ names: [String], empty: String) throws(ToolError) {
        if isJSON {
            try result(value, text: "")
        } else if names.isEmpty {
            note(empty)
        } else {
            for name in names { line(name) }
        }
    }
}

extension ControlContainer {
    /// What a deletion loses, a line for each environment.
    fileprivate var text: String {
        let lines = environments.map { environment in
            "\(environment.environment): \(environment.records) records and \(environment.assetBytes) bytes of "
                + "assets of "
                + "\(environment.users) users, \(environment.credentials) tokens and keys"
        }
        return (lines + ["\(teamMembers) developers in the team"]).joined(separator: "\n")
    }
}
