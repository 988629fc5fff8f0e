import StratusCloudModel
import StratusCloudServer
import StratusCloudWire
import StratusCommandLine

/// `stratus record …`
enum RecordCommands {
    private struct Deleted: Encodable {
        var deleted: [String]
    }

    private static let names = Positional.repeated("name", .string("name"), help: "Names of records")
    private static let name = Positional.optional(
        "name", .string("name"), help: "The record's name; the server chooses one by default")
    private static let type = Option.optional(
        "type", .string("recordType"), help: "The record type; needed for a new record")
    private static let field = Option.repeated(
        "field", .string("name=value"), help: "Sets a field; its type is the schema's, otherwise that of the value")
    private static let remove = Option.repeated("remove", .string("name"), help: "Removes a field's value")
    private static let file = Option.optional(
        "file", .file, help: "A record as 'stratus record get' prints it; '-' reads standard input")
    private static let force = Option.flag("force", help: "With --file: replaces the record even if it has changed")
    private static let fields = Option.repeated("field", .string("name"), help: "Only these fields")

    static func command(_ output: Output) -> Command {
        Command(
            "record", summary: "Gets, saves and deletes single records",
            subcommands: [get(output), save(output), delete(output)],
            hints: [
                "create": "'stratus record save' creates a record",
                "update": "'stratus record save' changes a record",
                "show": "'stratus record get' prints a record",
                "list": "'stratus query' finds records and 'stratus export' writes all of them",
            ])
    }

    private static func get(_ output: Output) -> Command {
        Command(
            "get", summary: "Prints records by their names, one line of JSON each",
            options: TargetOptions.all + [TargetOptions.zone, fields], positionals: [names], output: output
        ) { context, values throws(ToolError) in
            let names = try checkedNames(values)
            let client = RecordClient(database: try values.controlDatabase(), zone: values[TargetOptions.zone])
            let keys = values[fields].isEmpty ? nil : values[fields]
            let results = try await context.withOperator { operation throws(ToolError) in
                try await client.lookup(names, desiredKeys: keys, operation)
            }
            var exitCode = ToolError.ExitCode.success
            for (name, result) in zip(names, results) {
                switch result {
                case .saved(let record): context.output.bytes(RecordLine.encode(record) + [UInt8(ascii: "\n")])
                case .failed(_, let error):
                    context.output.failure(ToolError(error, record: name))
                    exitCode = .failure
                case .deleted: throw .unexpectedAnswer
                }
            }
            return exitCode
        }
    }

    private static func save(_ output: Output) -> Command {
        Command(
            "save", summary: "Creates a record, or changes fields of one, and prints it",
            discussion: "--field sets and --remove removes a value; the record's other fields stay as they are. Values "
                + "are written as in filters: 'title=Milk', 'due=2026-01-31', 'place=52.52,13.4', 'tags=[\"a\", "
                + "\"b\"]'.\n\n"
                + "--file saves a whole record. If it has a recordChangeTag, as 'stratus record get' prints it, it "
                + "replaces the record, unless somebody has changed the record meanwhile. Without one, the record "
                + "is created. --force replaces the record in any case.",
            options: TargetOptions.all + [TargetOptions.zone, type, field, remove, file, force], positionals: [name],
            changes: true, output: output
        ) { context, values throws(ToolError) in
            let client = RecordClient(database: try values.controlDatabase(), zone: values[TargetOptions.zone])
            let whole = try wholeRecord(values)
            let changes = try RecordChanges(set: values[field], removed: values[remove])
            guard whole == nil || changes.isEmpty && values[type] == nil && values[name] == nil else {
                throw .usage("--file has the whole record: leave out the name, --type, --field and --remove")
            }
            let record = try await context.withOperator { operation throws(ToolError) in
                if let whole { return try await client.save(whole, operation) }
                return try await client.save(changes, name: values[name], type: values[type], operation)
            }
            context.output.bytes(RecordLine.encode(record) + [UInt8(ascii: "\n")])
            return .success
        }
    }

    private static func wholeRecord(_ values: Values) throws(ToolError) -> RecordOperation? {
        guard let path = values[file] else {
            guard !values[force] else { throw .usage("--force needs --file") }
            return nil
        }
        let bytes = try AtomicFile.read(path == "-" ? "/dev/stdin" : path, limit: ImportLimits.rowSize)
        let (input, _): (RecordInput, String?)
        do {
            (input, _) = try JSONMapper(rules: ColumnRules()).record(bytes)
        } catch {
            throw ToolError("\(path == "-" ? "standard input" : path): \(error.reason)", code: "BAD_REQUEST")
        }
        guard input.recordType != nil else {
            throw ToolError("the record needs a recordType and fields", code: "BAD_REQUEST")
        }
        let kind: RecordOperation.Kind =
            values[force] ? .forceReplace : input.recordChangeTag == nil ? .create : .replace
        return RecordOperation(kind, input)
    }

    private static func delete(_ output: Output) -> Command {
        Command(
            "delete", summary: "Deletes records by their names",
            discussion:
                "Also deletes records that refer to one of them with the action DELETE_SELF. This cannot be undone.",
            options: TargetOptions.all + [TargetOptions.zone], positionals: [names], changes: true, output: output
        ) { context, values throws(ToolError) in
            let names = try checkedNames(values)
            let client = RecordClient(database: try values.controlDatabase(), zone: values[TargetOptions.zone])
            let results = try await context.withOperator { operation throws(ToolError) in
                try await client.delete(names, operation)
            }
            var deleted: [String] = []
            for (name, error) in zip(names, results) {
                if let error {
                    context.output.failure(ToolError(error, record: name))
                } else {
                    deleted.append(name)
                }
            }
            try context.output.result(
                Deleted(deleted: deleted), text: "deleted \(deleted.count) of \(names.count) records")
            return deleted.count == names.count ? .success : .failure
        }
    }

    private static func checkedNames(_ values: Values) throws(ToolError) -> [String] {
        let limit = ModelLimits.operationsPerRequest
        guard (1...limit).contains(values[names].count) else {
            throw .usage("give the names of 1 to \(limit) records")
        }
        // The server answers a name that is repeated once.
        var seen: Set<String> = []
        return values[names].filter { seen.insert($0).inserted }
    }
}

extension ToolError {
    /// Why something could not be done with a record.
    init(_ error: CloudError, record name: String) {
        self.init("record '\(name)': \(error.reason)", code: error.code.rawValue)
    }
}
