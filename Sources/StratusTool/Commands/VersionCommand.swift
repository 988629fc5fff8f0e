import StratusCommandLine

/// `stratus version`
enum VersionCommand {
    private struct Version: Encodable {
        var version: String
    }

    static func command(_ output: Output) -> Command {
        Command("version", summary: "Prints the version", output: output) { context, _ throws(ToolError) in
            try context.output.result(
                Version(version: StratusTool.version), text: "stratus \(StratusTool.version)")
            return .success
        }
    }
}
