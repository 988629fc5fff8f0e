import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// `stratus cktool …`: the schema commands of Apple's `cktool` in its words, so that scripts go on working. A tool that is
/// called by the name `cktool`, through a link, takes these commands at once.
///
/// There are no teams and no management tokens here: whoever may use the data directory may do all of it. Options that
/// name them are taken and not looked at.
enum CKToolCommands {
    static let name = "cktool"

    private static let team = Option.optional(
        "team-id", .string("team"), help: "Accepted for compatibility with cktool, and ignored")
    private static let token = Option.optional(
        "token", short: "t", .string("token"), help: "Accepted for compatibility with cktool, and ignored")
    private static let container = Option.required(
        "container-id", .string("identifier"), help: "The container, such as iCloud.org.example.demo")
    private static let environment = Option.required(
        "environment", .string("environment"), help: "development or production")
    private static let file = Option.required(
        "file", .file, help: "A schema in CloudKit's schema language")
    private static let outputFile = Option.optional(
        "output-file", .file, help: "The file to write instead of standard output")
    private static let validates = Option.flag("validate", help: "Validates the file first")
    private static let target: [any ParameterDeclaring] = [team, token, container, environment]

    static func command(_ output: Output) -> Command {
        Command(
            name, summary: "Runs the schema commands of Apple's cktool",
            discussion: "If you link this program under the name cktool, these are its commands.",
            subcommands: [exportSchema(output), importSchema(output), validateSchema(output), resetSchema(output)])
    }

    private static func exportSchema(_ output: Output) -> Command {
        Command(
            "export-schema", summary: "Prints a schema, or writes it to a file", options: target + [outputFile],
            output: output
        ) { context, values throws(ToolError) in
            let text = try await SchemaFile.text(of: values.cktoolContext, context)
            if let path = values[outputFile] {
                try SchemaFile.write(text, to: path)
            } else {
                context.output.line(TextValue.trimmed(text))
            }
            return .success
        }
    }

    private static func importSchema(_ output: Output) -> Command {
        Command(
            "import-schema", summary: "Replaces the development schema with a file",
            options: target + [file, validates], output: output
        ) { context, values throws(ToolError) in
            let text = try SchemaFile.read(values[file])
            if values[validates] { try await validate(text, values, context) }
            _ = try await SchemaAnswer.change(
                .importText(
                    context: values.cktoolContext, text: text, by: OperatorName.current, isTrial: false), context)
            return .success
        }
    }

    private static func validateSchema(_ output: Output) -> Command {
        Command(
            "validate-schema", summary: "Checks whether a file can be imported", options: target + [file],
            output: output
        ) { context, values throws(ToolError) in
            try await validate(try SchemaFile.read(values[file]), values, context)
            return .success
        }
    }

    private static func validate(
        _ text: String, _ values: Values, _ context: ToolContext
    ) async throws(ToolError) {
        do {
            _ = try await SchemaAnswer.change(
                .importText(context: values.cktoolContext, text: text, by: "", isTrial: true), context)
        } catch {
            throw ToolError("❌ Schema validation failed: \(error.message)", code: error.code)
        }
        context.output.line("✅ Schema is valid.")
    }

    private static func resetSchema(_ output: Output) -> Command {
        Command(
            "reset-schema",
            summary: "Deletes development's data and gives it production's schema, without confirmation",
            options: [team, token, container], output: output
        ) { context, values throws(ToolError) in
            let request = ControlSchemaRequest.reset(
                container: values[Self.container], by: OperatorName.current)
            guard case .done = try await context.perform(.schema(request)) else { throw .unexpectedAnswer }
            return .success
        }
    }
}

extension Values {
    /// The context in cktool's options; the environment in whatever case.
    fileprivate var cktoolContext: ControlContext {
        ControlContext(
            container: self[CKToolCommands.containerOption],
            environment: self[CKToolCommands.environmentOption].lowercased())
    }
}

extension CKToolCommands {
    fileprivate static var containerOption: Parameter<String> { container }
    fileprivate static var environmentOption: Parameter<String> { environment }
}
