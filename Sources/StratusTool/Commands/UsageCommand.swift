import StratusCloudServer
import StratusCommandLine

/// `stratus usage`
enum UsageCommand {
    private struct Shown: Encodable {
        var records: Int64
        var recordBytes: Int64
        var assetBytes: Int64
    }

    static func command(_ output: Output) -> Command {
        Command(
            "usage", summary: "Shows how much a database holds",
            discussion:
                "Counts bytes as quotas do: records as they are stored, and the assets that they refer to, once for "
                + "each reference.",
            options: TargetOptions.all, output: output
        ) { context, values throws(ToolError) in
            let request = ControlRequest.showUsage(database: try values.controlDatabase())
            guard case .usage(let usage) = try await context.perform(request) else { throw .unexpectedAnswer }
            try context.output.result(
                Shown(records: usage.records, recordBytes: usage.recordBytes, assetBytes: usage.assetBytes),
                text: "\(usage.records) records of \(usage.recordBytes) bytes, \(usage.assetBytes) bytes of assets")
            return .success
        }
    }
}
