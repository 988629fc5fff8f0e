import StratusCloudModel
import StratusCommandLine

/// `stratus context …`
enum ContextCommands {
    private struct Shown: Encodable {
        struct Part: Encodable {
            var value: String
            var from: String
        }

        var container: Part?
        var environment: Part?
        var database: Part?
        var email: Part?
    }

    static func command(_ output: Output) -> Command {
        Command(
            "context", summary: "Sets, shows and clears the container, environment and database that commands use",
            discussion: "A command uses its own options first, then the environment variables STRATUS_CONTAINER, "
                + "STRATUS_ENVIRONMENT, STRATUS_DATABASE and STRATUS_EMAIL, then the context. A command that changes "
                + "something prints the values it uses, unless they all come from its options. Each data directory "
                + "has its own context. Contexts are kept in contexts.json in $XDG_CONFIG_HOME/stratus or "
                + "~/.config/stratus.",
            subcommands: [set(output), show(output), clear(output)])
    }

    private static func set(_ output: Output) -> Command {
        Command(
            "set", summary: "Sets the values given as options, and keeps the others",
            options: [
                TargetOptions.container, TargetOptions.environment, TargetOptions.database, TargetOptions.email,
            ], output: output
        ) { context, values throws(ToolError) in
            let file = try file()
            var stored = try file.read(context.directory)
            let before = stored
            if let container = values[TargetOptions.container] {
                guard ContainerIdentifier(container) != nil else {
                    throw .usage("'\(container)' is not a container; containers begin with 'iCloud.'")
                }
                stored.container = container
            }
            stored.environment = values[TargetOptions.environment]?.rawValue ?? stored.environment
            stored.database = values[TargetOptions.database]?.rawValue ?? stored.database
            stored.email = values[TargetOptions.email] ?? stored.email
            guard stored != before || !isEmpty(values) else {
                throw .usage("give at least one of --container, --environment, --database and --email")
            }
            try file.write(stored, for: context.directory)
            let parts = [
                ("container", stored.container), ("environment", stored.environment), ("database", stored.database),
                ("email", stored.email),
            ].compactMap { name, value in value.map { "\(name) \($0)" } }
            try context.output.result(stored, text: "the context is \(parts.joined(separator: ", "))")
            return .success
        }
    }

    private static func isEmpty(_ values: Values) -> Bool {
        values[TargetOptions.container] == nil && values[TargetOptions.environment] == nil
            && values[TargetOptions.database] == nil && values[TargetOptions.email] == nil
    }

    private static func show(_ output: Output) -> Command {
        Command(
            "show", summary: "Shows the values that commands use, and where they come from", output: output
        ) { context, values throws(ToolError) in
            var parts: [TargetPart: Shown.Part] = [:]
            for part in TargetPart.allCases {
                guard let resolved = try values.resolved(part) else { continue }
                parts[part] = Shown.Part(value: resolved.value, from: resolved.source ?? "the command line")
            }
            let rows = TargetPart.allCases.compactMap { part in
                parts[part].map { [part.rawValue, $0.value, "from \($0.from)"] }
            }
            guard !rows.isEmpty || context.output.isJSON else {
                context.output.note("no context is set")
                return .success
            }
            try context.output.result(
                Shown(
                    container: parts[.container], environment: parts[.environment], database: parts[.database],
                    email: parts[.email]),
                text: TextTable.lines(rows).joined(separator: "\n"))
            return .success
        }
    }

    private static func clear(_ output: Output) -> Command {
        Command("clear", summary: "Removes the context of the data directory", output: output) {
            context, _ throws(ToolError) in
            try file().write(StoredContext(), for: context.directory)
            try context.output.result(StoredContext(), text: "the context is cleared")
            return .success
        }
    }

    private static func file() throws(ToolError) -> ContextFile {
        guard let file = ContextFile() else {
            throw ToolError("contexts cannot be stored: neither XDG_CONFIG_HOME nor HOME is set")
        }
        return file
    }
}
