import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// `stratus schema …`
enum SchemaCommands {
    private struct Applied: Encodable {
        var applied: String
    }

    private struct Shown: Encodable {
        var schema: String
    }

    private static let file = Positional.required(
        "file", .file, help: "A schema in CloudKit's schema language")
    private static let optionalFile = Positional.optional(
        "file", .file, help: "A schema in CloudKit's schema language")
    private static let outputFile = Option.optional(
        "output", .file, help: "The file to write instead of standard output")

    static func command(_ output: Output) -> Command {
        Command(
            "schema", summary: "Shows, changes and deploys schemas",
            discussion:
                "The development schema changes with 'import' and when apps save new record types and fields. The "
                + "production schema changes with 'deploy', which never removes anything. 'apply' adds to either "
                + "schema.",
            subcommands: [
                exported(output, "export", "Prints a schema in CloudKit's schema language"),
                imported(output), validate(output), diff(output), SchemaDeployCommands.deploy(output),
                SchemaDeployCommands.history(output), SchemaDeployCommands.rollBack(output),
                SchemaDeployCommands.reset(output), SchemaDeployCommands.indexes(output), apply(output),
                exported(output, "show", "The same as export"),
            ])
    }

    private static func apply(_ output: Output) -> Command {
        Command(
            "apply", summary: "Adds the record types, fields and indexes of a file to a schema",
            discussion: "Adds everything or nothing. It removes nothing, and changes no field types.",
            options: TargetOptions.context, positionals: [file], changes: true, output: output
        ) { context, values throws(ToolError) in
            let text = try SchemaFile.read(values[file])
            _ = try await context.perform(
                .applySchema(context: try values.context, text: text, by: OperatorName.current))
            try context.output.result(Applied(applied: values[file]), text: "schema \(values[file]) is applied")
            return .success
        }
    }

    private static func exported(_ output: Output, _ name: String, _ summary: String) -> Command {
        Command(
            name, summary: summary, options: TargetOptions.context + [outputFile], output: output
        ) { context, values throws(ToolError) in
            let text = try await SchemaFile.text(of: try values.context, context)
            guard let path = values[outputFile] else {
                try context.output.result(Shown(schema: text), text: TextValue.trimmed(text))
                return .success
            }
            try SchemaFile.write(text, to: path)
            try context.output.result(["exported": path], text: "the schema is in \(path)")
            return .success
        }
    }

    private static func imported(_ output: Output) -> Command {
        Command(
            "import", summary: "Replaces the development schema with a file",
            discussion:
                "Replaces the whole schema or nothing, and prints the changes. The import fails if it would remove "
                + "something that production has or records use, or change the type of a field that has values.",
            options: TargetOptions.context, positionals: [file], changes: true, output: output
        ) { context, values throws(ToolError) in
            let text = try SchemaFile.read(values[file])
            try await SchemaAnswer.perform(
                .importText(
                    context: try values.contextOrDevelopment, text: text, by: OperatorName.current, isTrial: false),
                context, nothing: "nothing changed")
            return .success
        }
    }

    private static func validate(_ output: Output) -> Command {
        Command(
            "validate", summary: "Checks whether a file can be imported, and shows what would change",
            options: TargetOptions.context, positionals: [file], output: output
        ) { context, values throws(ToolError) in
            let text = try SchemaFile.read(values[file])
            try await SchemaAnswer.perform(
                .importText(context: try values.contextOrDevelopment, text: text, by: "", isTrial: true), context,
                nothing: "the schema is valid; nothing would change")
            return .success
        }
    }

    private static func diff(_ output: Output) -> Command {
        Command(
            "diff",
            summary: "Shows the differences between development and production, or between a file and an environment",
            discussion:
                "Lines that begin with + are only in development, or in the file; lines that begin with - are only in "
                + "production, or in the environment. The exit code is 0 whether there are differences or not.",
            options: TargetOptions.context, positionals: [optionalFile], output: output
        ) { context, values throws(ToolError) in
            guard let path = values[optionalFile] else {
                try await SchemaAnswer.perform(
                    .difference(container: try values.container), context, nothing: "there are no differences")
                return .success
            }
            let text = try SchemaFile.read(path)
            try await SchemaAnswer.perform(
                .compare(context: try values.contextOrDevelopment, text: text), context,
                nothing: "there are no differences")
            return .success
        }
    }
}

/// Answers about changes of schemas.
enum SchemaAnswer {
    /// Prints what changed, or would.
    /// - Parameter nothing: Stands for no change.
    static func perform(
        _ request: ControlSchemaRequest, _ context: ToolContext, nothing: String
    ) async throws(ToolError) {
        let change = try await change(request, context)
        try context.output.result(change, text: text(change, nothing: nothing))
    }

    static func change(
        _ request: ControlSchemaRequest, _ context: ToolContext
    ) async throws(ToolError) -> ControlSchemaChange {
        guard case .schemaChange(let change) = try await context.perform(.schema(request)) else {
            throw .unexpectedAnswer
        }
        return change
    }

    static func text(_ change: ControlSchemaChange, nothing: String) -> String {
        change.text.isEmpty ? nothing : change.text
    }
}

/// Schemas in files.
enum SchemaFile {
    /// Bytes of a schema file.
    private static let size = 16 * 1_048_576

    static func read(_ path: String) throws(ToolError) -> String {
        guard let text = String(validating: try AtomicFile.read(path, limit: size), as: UTF8.self) else {
            throw ToolError("\(path) is not UTF-8")
        }
        return text
    }

    /// A file that exists is replaced.
    static func write(_ text: String, to path: String) throws(ToolError) {
        try AtomicFile.replace(path, with: Array(text.utf8))
    }

    static func text(of target: ControlContext, _ context: ToolContext) async throws(ToolError) -> String {
        guard case .schema(let text) = try await context.perform(.showSchema(context: target)) else {
            throw .unexpectedAnswer
        }
        return text
    }
}
