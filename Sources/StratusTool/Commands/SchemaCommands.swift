import CloudServer
import CommandLine

/// `stratus schema …`
enum SchemaCommands {
    private struct Applied: Encodable {
        var applied: String
    }

    private struct Shown: Encodable {
        var schema: String
    }

    /// Bytes of a schema file.
    private static let fileSize = 16 * 1_048_576

    private static let file = Positional.required(
        "file", .string("file"), help: "A schema in CloudKit's schema language")

    static func command(_ output: Output) -> Command {
        Command("schema", summary: "Shows and extends schemas", subcommands: [apply(output), show(output)])
    }

    private static func apply(_ output: Output) -> Command {
        Command(
            "apply", summary: "Adds the record types, fields and indexes of a file to a schema",
            discussion: "All of it or nothing. A field's type never changes, and nothing is removed.",
            options: TargetOptions.context, positionals: [file], output: output
        ) { context, values throws(ToolError) in
            let bytes = try AtomicFile.read(values[file], limit: fileSize)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ToolError("\(values[file]) is not UTF-8")
            }
            _ = try await context.perform(.applySchema(context: values.context, text: text))
            try context.output.result(Applied(applied: values[file]), text: "schema \(values[file]) is applied")
            return .success
        }
    }

    private static func show(_ output: Output) -> Command {
        Command(
            "show", summary: "Prints a schema in CloudKit's schema language", options: TargetOptions.context,
            output: output
        ) { context, values throws(ToolError) in
            guard case .schema(let text) = try await context.perform(.showSchema(context: values.context)) else {
                throw .unexpectedAnswer
            }
            try context.output.result(Shown(schema: text), text: TextValue.trimmed(text))
            return .success
        }
    }
}
