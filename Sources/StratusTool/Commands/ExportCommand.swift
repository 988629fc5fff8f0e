import Glibc
import StratusCommandLine

/// `stratus export`
enum ExportCommand {
    private struct Summary: Encodable {
        var exported: Int
        var file: String
        /// Assets that the records name, with and without their bytes.
        var assets: Int
        var assetsLeftOut: Int
    }

    private static let type = Option.optional("type", .string("recordType"), help: "Only records of this type")
    private static let all = Option.flag("all", help: "Records of all types, except those the system makes")
    private static let file = Option.optional(
        "output", .string("file"),
        help: "Where the lines go; standard output if left out. A file that exists is never overwritten")

    private static let assets = Option.optional(
        "assets", .string("directory"),
        help: "Writes the bytes of assets there, each once, in a file named by the first 40 digits of its SHA-256. "
            + "Files that are there already are kept")

    static func command(_ output: Output) -> Command {
        Command(
            "export", summary: "Writes records as JSON lines, losslessly",
            discussion: "One record dictionary of the wire a line, by zone and record name; 'stratus import' reads "
                + "them. The bytes of assets are left out without --assets. For another container, take the schema along first: 'stratus schema show' and "
                + "'stratus schema apply'. Records that change meanwhile may stand there as before or after the "
                + "change.",
            options: TargetOptions.all + [type, all, TargetOptions.zone, file, assets], output: output
        ) { context, values throws(ToolError) in
            guard values[all] != (values[type] != nil) else { throw .usage("give either --type or --all") }
            guard !context.output.isJSON || values[file] != nil else {
                throw .usage("--json needs --output: the export itself would stand before the object")
            }
            let exporter = RecordExporter(
                database: try values.controlDatabase(), recordType: values[type], zone: values[TargetOptions.zone],
                assets: try values[assets].map { path throws(ToolError) in try AssetExporter(directory: path) })
            let sink = try ExportSink(path: values[file], output: context.output)
            do throws(ToolError) {
                let done = try await context.withOperator { operation throws(ToolError) in
                    try await exporter.run(operation, into: sink)
                }
                try sink.finish()
                let isLeftOut = values[assets] == nil
                if let path = values[file] {
                    let summary = Summary(
                        exported: done.records, file: path, assets: done.assets,
                        assetsLeftOut: isLeftOut ? done.assets : 0)
                    let bytes = values[assets].map { "; the bytes of \(done.assets) assets are in \($0)" } ?? ""
                    try context.output.result(summary, text: "exported \(done.records) records to \(path)\(bytes)")
                }
                if isLeftOut, done.assets > 0 {
                    context.output.note(
                        "the bytes of \(done.assets) assets were left out; --assets DIRECTORY writes them")
                }
            } catch {
                sink.discard()
                throw error
            }
            return .success
        }
    }
}
