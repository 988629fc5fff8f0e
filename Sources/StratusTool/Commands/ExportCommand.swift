import Glibc
import StratusCloudModel
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
    private static let all = Option.flag("all", help: "Records of all types, except the system's own")
    private static let file = Option.optional(
        "output", .file,
        help: "The file to write; standard output by default. An existing file is never overwritten")

    private static let assets = Option.optional(
        "assets", .directory,
        help:
            "Writes the bytes of assets into this directory, each once, in a file named by the first 40 digits of its "
            + "SHA-256. Existing files are kept")

    private static let format = Option.optional(
        "format", ValueKind<ImportPlan.Format>.choice(placeholder: "format"),
        help: "jsonl or csv; the name of --output decides by default, and jsonl otherwise")

    static func command(_ output: Output) -> Command {
        Command(
            "export", summary: "Writes records as JSON lines or CSV",
            discussion: "JSON lines lose nothing. Each line is a record dictionary of the web services; lines are "
                + "sorted by zone and record name. 'stratus import' reads JSON lines and CSV. Without --assets, the "
                + "bytes of assets are left out. Before you import into another container, copy the schema with "
                + "'stratus schema show' and 'stratus schema apply'. A record that changes during the export is "
                + "written as it was before or after the change.\n\n"
                + "CSV has the records of one type and one zone (the default zone unless --zone names another), with "
                + "a column 'recordName' and one for each field of the schema. Lists, assets, references with an "
                + "action and locations with an altitude are written as JSON. CSV does not distinguish empty text "
                + "from a missing value, has dates to the millisecond, and leaves out parents, shares, and who "
                + "saved a record and when.",
            options: TargetOptions.all + [type, all, format, TargetOptions.zone, file, assets], output: output
        ) { context, values throws(ToolError) in
            guard values[all] != (values[type] != nil) else { throw .usage("give either --type or --all") }
            guard !context.output.isJSON || values[file] != nil else {
                throw .usage("--json needs --output, because the export would otherwise be on standard output, too")
            }
            let isTable = (values[format] ?? values[file].flatMap { ImportPlan.Format(fileName: $0) }) == .csv
            guard !isTable || values[type] != nil else {
                throw .usage("CSV needs --type, because a table has records of one type")
            }
            try context.checkData()
            let exporter = RecordExporter(
                database: try values.controlDatabase(), recordType: values[type],
                zone: values[TargetOptions.zone] ?? (isTable ? ZoneID.defaultZoneName : nil),
                assets: try values[assets].map { path throws(ToolError) in try AssetExporter(directory: path) })
            let sink = try ExportSink(path: values[file], output: context.output)
            do throws(ToolError) {
                let done = try await context.withOperator { operation throws(ToolError) in
                    var exporter = exporter
                    if isTable {
                        let types = try await FieldTypes(of: exporter.database.context, operation)
                        guard let type = exporter.recordType, types.contains(type) else {
                            throw ToolError(
                                "the schema has no record type '\(exporter.recordType ?? "")'", code: "NOT_FOUND")
                        }
                        exporter.table = CSVTable(columns: types.columns(of: type).map(\.name))
                    }
                    return try await exporter.run(operation, into: sink)
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
