import CommandLine
import Glibc

/// `stratus export`
enum ExportCommand {
    private struct Summary: Encodable {
        var exported: Int
        var file: String
    }

    private static let type = Option.optional("type", .string("recordType"), help: "Only records of this type")
    private static let all = Option.flag("all", help: "Records of all types, except those the system makes")
    private static let file = Option.optional(
        "output", .string("file"),
        help: "Where the lines go; standard output if left out. A file that exists is never overwritten")

    static func command(_ output: Output) -> Command {
        Command(
            "export", summary: "Writes records as JSON lines, losslessly",
            discussion: "One record dictionary of the wire a line, by zone and record name; 'stratus import' reads "
                + "them. For another container, take the schema along first: 'stratus schema show' and "
                + "'stratus schema apply'. Records that change meanwhile may stand there as before or after the "
                + "change.",
            options: TargetOptions.all + [type, all, TargetOptions.zone, file], output: output
        ) { context, values throws(ToolError) in
            guard values[all] != (values[type] != nil) else { throw .usage("give either --type or --all") }
            guard !context.output.isJSON || values[file] != nil else {
                throw .usage("--json needs --output: the export itself would stand before the object")
            }
            let exporter = RecordExporter(
                database: try values.controlDatabase(), recordType: values[type], zone: values[TargetOptions.zone])
            let sink = try ExportSink(path: values[file], output: context.output)
            do throws(ToolError) {
                let count = try await context.withOperator { operation throws(ToolError) in
                    try await exporter.run(operation, into: sink)
                }
                try sink.finish()
                if let path = values[file] {
                    try context.output.result(
                        Summary(exported: count, file: path), text: "exported \(count) records to \(path)")
                }
            } catch {
                sink.discard()
                throw error
            }
            return .success
        }
    }
}
