import CommandLine

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
        Command("container", summary: "Makes and lists containers", subcommands: [create(output), list(output)])
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
