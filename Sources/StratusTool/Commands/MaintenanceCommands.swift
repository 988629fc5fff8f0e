import CloudServer
import CommandLine

/// `stratus backup` and `stratus verify`
enum MaintenanceCommands {
    private struct BackedUp: Encodable {
        var backup: String
        var restoreAs: String
    }

    private struct Verified: Encodable {
        var verified: String
    }

    private static let file = Positional.required(
        "file", .string("file"), help: "Where the copy goes; nothing may be there yet")

    static func backup(_ output: Output) -> Command {
        Command(
            "backup", summary: "Copies all data to a new file",
            discussion:
                "The copy is the state at one moment; the server goes on meanwhile. It is there when it is complete "
                + "and on disk, and holds everything but secret.key, which belongs elsewhere. The server itself writes "
                + "it, where it may write.\n\n"
                + "To restore: a new data directory with the copy, by the name that this command prints, and "
                + "secret.key.",
            positionals: [file], output: output
        ) { context, values throws(ToolError) in
            let path = DataDirectory(path: values[file]).path
            guard case .backup(let name) = try await context.perform(.backUp(path: path)) else {
                throw .unexpectedAnswer
            }
            try context.output.result(
                BackedUp(backup: path, restoreAs: name),
                text: "backed up to \(path); in a data directory it is \(name)")
            return .success
        }
    }

    static func verify(_ output: Output) -> Command {
        Command(
            "verify", summary: "Reads all data and checks that it is undamaged",
            discussion: "Takes as long as reading everything; the server goes on meanwhile. Names the first damage "
                + "found and ends with 1, or says that there is none.",
            output: output
        ) { context, _ throws(ToolError) in
            guard case .done = try await context.perform(.verify) else { throw .unexpectedAnswer }
            let path = context.directory.path
            try context.output.result(Verified(verified: path), text: "the data in \(path) is undamaged")
            return .success
        }
    }
}
