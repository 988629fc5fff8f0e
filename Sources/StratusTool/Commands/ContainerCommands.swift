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
            "container", summary: "Makes and lists containers",
            subcommands: [create(output), list(output), app(output)])
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Makes a container with both its environments", positionals: [name], output: output
        ) { context, values throws(ToolError) in
            _ = try await context.perform(.createContainer(identifier: values[name]))
            try context.output.result(
                Created(container: values[name]), text: "container \(values[name]) is made")
            return .success
        }
    }

    /// Any text, the empty one included.
    private static let template = ValueKind<String>(placeholder: "template") { text throws(UsageError) in text }
    private static let appURL = Option.optional(
        "url", template,
        help: "Where the page of a share leads to, such as https://app.example/open?share={url}; empty removes it")
    private static let appCommand = Option.optional(
        "command", template,
        help: "What the page offers to copy for a terminal, such as 'notes join {url}'; empty removes it")

    private struct App: Encodable {
        var container: String
        var url: String?
        var command: String?
    }

    private static func app(_ output: Output) -> Command {
        Command(
            "app", summary: "Says how people who join a share go on to the app",
            discussion: "In both templates {url} stands for the share's link. Without options it shows what is set.",
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

    private static func list(_ output: Output) -> Command {
        Command("list", summary: "Lists the containers by name", output: output) { context, _ throws(ToolError) in
            guard case .names(let names) = try await context.perform(.listContainers) else {
                throw .unexpectedAnswer
            }
            try context.output.list(Listed(containers: names), names, empty: "there is no container")
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
