import StratusCloudServer
import StratusCommandLine

/// `stratus import`
enum ImportCommand {
    private static let file = Positional.required("file", .string("file"), help: "JSON lines or CSV")
    private static let type = Option.optional(
        "type", .string("recordType"), help: "The record type; needed unless the lines are exported records")
    private static let format = Option.optional(
        "format", ValueKind<ImportPlan.Format>.choice(placeholder: "format"),
        help: "How the file is written; told by its name if left out")
    private static let nameField = Option.optional(
        "name-field", .string("column"),
        help: "The column that names the records; without it, names are made of the file's content and the line")
    private static let column = Option.repeated(
        "column", .string("name=TYPE"),
        help: "The type of a column: STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION or REFERENCE")
    private static let location = Option.repeated(
        "location", .string("field=latitudeColumn,longitudeColumn"), help: "Makes a location of two columns")
    private static let list = Option.repeated(
        "list", .string("field=separator"), help: "Makes a list of a column's text")
    private static let assets = Option.optional(
        "assets", .string("directory"),
        help: "Where 'stratus export --assets' put the bytes of assets; 'assets' beside the file if left out")
    private static let restart = Option.flag("restart", help: "Begins anew instead of going on where it stopped")

    static func command(_ output: Output) -> Command {
        Command(
            "import", summary: "Saves the rows of a file as records",
            discussion: "Rows that cannot be saved are reported with their line, and the import goes on; the exit "
                + "code is 1 then. An interrupted import goes on where it stopped when it is started again. Rows "
                + "replace records of the same name.\n\n"
                + "CSV has a header; cells are text unless --column says otherwise, and empty cells are left out. "
                + "JSON lines are objects whose members are the fields, or records as 'stratus export' writes them. "
                + "The bytes of their assets are uploaded from the files in --assets.",
            options: TargetOptions.all
                + [type, TargetOptions.zone, format, nameField, column, location, list, assets, restart],
            positionals: [file], output: output
        ) { context, values throws(ToolError) in
            let plan = try plan(values)
            let file = try FileReader(path: plan.file)
            let summary = try await context.withOperator { operation throws(ToolError) in
                try await check(plan, operation)
                var run = try ImportRun(
                    plan, file: file, operation: operation, directory: context.directory, output: context.output)
                return try await run.run()
            }
            let failed = summary.failed == 0 ? "" : ", \(summary.failed) failed"
            try context.output.result(summary, text: "imported \(summary.imported) records\(failed)")
            return summary.failed == 0 ? .success : .failure
        }
    }

    private static func plan(_ values: Values) throws(ToolError) -> ImportPlan {
        let path = values[file]
        guard let format = values[format] ?? ImportPlan.Format(fileName: path) else {
            throw .usage("the name of \(path) does not tell its format: give --format jsonl or --format csv")
        }
        guard format == .jsonl || values[type] != nil else { throw .usage("--type is required for CSV") }
        var rules = ColumnRules(nameColumn: values[nameField])
        for text in values[column] { try rules.addColumn(text) }
        for text in values[list] { try rules.addList(text) }
        for text in values[location] { try rules.addLocation(text) }
        return ImportPlan(
            file: path, format: format, recordType: values[type], database: try values.controlDatabase(),
            zone: values[TargetOptions.zone], rules: rules,
            assets: AssetDirectory(path: values[assets] ?? directory(of: path) + "assets"), restarts: values[restart])
    }

    /// With the slash at its end; empty for a file of the current directory.
    private static func directory(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }

    /// Fails before anything is read if the database cannot be used.
    private static func check(_ plan: ImportPlan, _ operation: any Operator) async throws(ToolError) {
        _ = try await operation.perform(.listZones(database: plan.database))
    }
}
