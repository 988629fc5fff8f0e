import StratusCloudServer
import StratusCommandLine

/// `stratus import`
enum ImportCommand {
    private static let file = Positional.required("file", .file, help: "JSON lines or CSV")
    private static let type = Option.optional(
        "type", .string("recordType"), help: "The record type; needed unless the lines are exported records")
    private static let format = Option.optional(
        "format", ValueKind<ImportPlan.Format>.choice(placeholder: "format"),
        help: "jsonl or csv; the name of the file decides by default")
    private static let nameField = Option.optional(
        "name-field", .string("column"),
        help: "The column that names the records; 'recordName', or names made from the file's content, by default")
    private static let column = Option.repeated(
        "column", .string("name=TYPE"),
        help:
            "The type of a column: STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, or LIST<one of these>")
    private static let location = Option.repeated(
        "location", .string("field=latitudeColumn,longitudeColumn"), help: "Creates a location from two columns")
    private static let list = Option.repeated(
        "list", .string("field=separator"),
        help: "Reads the text of a column as a list with this separator")
    private static let assets = Option.optional(
        "assets", .directory,
        help: "The directory that 'stratus export --assets' wrote; 'assets' beside the file by default")
    private static let asNew = Option.flag(
        "as-new",
        help: "Creates the records with the current time and the user of --email, and ignores those in the file")
    private static let restart = Option.flag("restart", help: "Starts from the beginning instead of where it stopped")
    private static let trial = Option.flag(
        "dry-run", help: "Reads the whole file, shows types, examples and what would be created, and saves nothing")

    static func command(_ output: Output) -> Command {
        Command(
            "import", summary: "Saves the rows of a file as records",
            discussion: "Rows that cannot be saved are reported with their line, and the import continues; the exit "
                + "code is then 1. Run an interrupted import again to continue where it stopped. Rows replace records "
                + "with the same name.\n\n"
                + "CSV has a header. A column has the type given by --column, otherwise the type in the schema, "
                + "otherwise the narrowest type that fits all its values; --dry-run shows the types. Numbers with "
                + "leading zeros stay text. Empty cells are left out. A column 'recordName' names the records. "
                + "Cells of lists are JSON, such as [\"a\", \"b\"], unless --list names a separator; cells of "
                + "locations are latitude,longitude, and cells of references the name of the record. 'stratus "
                + "export --format csv' writes this format.\n\n"
                + "JSON lines are objects whose members are the fields, or records as 'stratus export' writes them. "
                + "The bytes of their assets are uploaded from the files in --assets. Exported records keep their "
                + "users and times, and get new change tags. In a private database, users that this container "
                + "does not have become the owner.",
            options: TargetOptions.all
                + [type, TargetOptions.zone, format, nameField, column, location, list, assets, asNew, trial, restart],
            positionals: [file], changes: true, output: output
        ) { context, values throws(ToolError) in
            let plan = try plan(values)
            let file = try FileReader(path: plan.file)
            return try await context.withOperator { [plan] operation throws(ToolError) in
                var plan = plan
                // Fails before anything is read if the database cannot be used.
                let zones = try await RecordExporter.zones(of: plan.database, operation)
                let known = try await FieldTypes(of: plan.database.context, operation)
                try plan.settleTypes(known, of: file)
                if values[trial] {
                    var preview = ImportPreview(plan, known: known, zones: Set(zones))
                    let report = try preview.read(file, context.output)
                    try context.output.result(report, text: report.text)
                    return report.isClean ? .success : .failure
                }
                var run = try ImportRun(
                    plan, file: file, operation: operation, directory: context.directory, output: context.output)
                let summary = try await run.run()
                let failed = summary.failed == 0 ? "" : ", \(summary.failed) failed"
                try context.output.result(summary, text: "imported \(summary.imported) records\(failed)")
                return summary.failed == 0 ? .success : .failure
            }
        }
    }

    private static func plan(_ values: Values) throws(ToolError) -> ImportPlan {
        let path = values[file]
        guard let format = values[format] ?? ImportPlan.Format(fileName: path) else {
            throw .usage("the format of \(path) is not clear from its name: give --format jsonl or --format csv")
        }
        guard format == .jsonl || values[type] != nil else { throw .usage("--type is required for CSV") }
        var rules = ColumnRules(nameColumn: values[nameField])
        rules.restoresHistory = !values[asNew]
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
}
