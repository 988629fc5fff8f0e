import StratusCloudServer
import StratusCommandLine

/// Where a command runs: on which data, and where it writes.
struct ToolContext: Sendable {
    /// Options of every command.
    enum Common {
        static let json = Option.flag("json", help: "Prints the result as one JSON object, and errors as JSON")
        static let data = Option.optional(
            "data", .directory, help: "The data directory; $STRATUS_DATA or ./data by default")
        static let create = Option.flag(
            "create-data", help: "Creates the data directory if it does not exist, as 'stratus serve' does")
    }

    let output: Output
    let directory: DataDirectory
    /// Whether the data directory may be made.
    private let mayCreate: Bool

    init(_ values: Values, _ output: Output) {
        var output = output
        output.isJSON = values[Common.json]
        self.output = output
        directory = DataDirectory(path: values[Common.data] ?? DataDirectory.defaultPath)
        mayCreate = values[Common.create]
    }

    /// Makes sure that there is data to work on, before anything else is made.
    func checkData() throws(ToolError) { if !mayCreate { try directory.checkData() } }

    /// Runs `body` with who does operator commands for the data directory.
    func withOperator<Result: Sendable>(
        _ body: (any Operator) async throws(ToolError) -> Result
    ) async throws(ToolError) -> Result {
        let operation = try await OperatorConnection.open(directory, mayCreate: mayCreate)
        do throws(ToolError) {
            let result = try await body(operation)
            await operation.close()
            return result
        } catch {
            await operation.close()
            throw error
        }
    }

    /// The answer to one request. A server that stops before the request reached it is no hindrance.
    func perform(_ request: ControlRequest) async throws(ToolError) -> ControlResponse {
        do throws(ToolError) {
            return try await withOperator { operation throws(ToolError) in try await operation.perform(request) }
        } catch  where error.code == ToolError.noServerCode {
            return try await withOperator { operation throws(ToolError) in try await operation.perform(request) }
        }
    }
}

extension Command {
    /// Makes a command of the tool: its failures are written as `--json` says, and become its exit code.
    /// - Parameter changes: Whether the command changes something in its container, and therefore says which container,
    ///   environment and database it uses where its options do not name them.
    init(
        _ name: String, summary: String, discussion: String = "", options: [any ParameterDeclaring] = [],
        positionals: [any ParameterDeclaring] = [], subcommands: [Command] = [], changes: Bool = false,
        output: Output,
        action: @escaping @Sendable (ToolContext, Values) async throws(ToolError) -> ToolError.ExitCode
    ) {
        self.init(
            name, summary: summary, discussion: discussion, options: options, positionals: positionals,
            subcommands: subcommands
        ) { values in
            let context = ToolContext(values, output)
            do throws(ToolError) {
                if changes, let note = try values.targetNote() { context.output.note(note) }
                return try await action(context, values).rawValue
            } catch {
                context.output.failure(error)
                return error.exitCode.rawValue
            }
        }
    }
}
