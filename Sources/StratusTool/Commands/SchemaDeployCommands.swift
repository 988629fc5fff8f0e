import StratusCloudServer
import StratusCommandLine

/// The parts of `stratus schema …` that are about production and development as wholes.
enum SchemaDeployCommands {
    private struct History: Encodable {
        var history: [ControlHistoryEntry]
    }

    private struct Indexes: Encodable {
        var indexes: [ControlIndex]
    }

    private struct Deployed: Encodable {
        var deployed: Bool
        var changes: [ControlSchemaChange.Change]
        var recordsToIndex: [String: Int]?
    }

    private struct Reset: Encodable {
        var reset: String
    }

    private static let name = Option.optional(
        "name", .string("name"), help: "A name for the deployment in the history")
    private static let trial = Option.flag(
        "dry-run", help: "Shows the changes, and how many records new indexes cover, without deploying")
    private static let yes = Option.flag("yes", help: "Does not ask for confirmation")
    private static let number = Positional.required(
        "number", .integer(1...Int.max), help: "The number of a change in the history")

    static func deploy(_ output: Output) -> Command {
        Command(
            "deploy", summary: "Adds what the production schema lacks from development",
            discussion:
                "Shows the changes, and asks for confirmation. Deploys all changes or none. It removes nothing, and "
                + "changes no field types. New indexes on existing fields are built in the background.",
            options: [TargetOptions.container, name, trial, yes], changes: true, output: output
        ) { context, values throws(ToolError) in
            let container = try values.container
            func request(expecting shown: String? = nil, isTrial: Bool) -> ControlSchemaRequest {
                .deploy(
                    container: container, name: values[name] ?? "", by: OperatorName.current, expecting: shown,
                    isTrial: isTrial)
            }
            let planned = try await SchemaAnswer.change(request(isTrial: true), context)
            guard !planned.changes.isEmpty else {
                try context.output.result(
                    Deployed(deployed: false, changes: []), text: "production has everything that development has")
                return .success
            }
            if values[trial] {
                let counts = planned.recordsToIndex.sorted { $0.key < $1.key }.map {
                    "\nindexes of \($0.key) would be built from \($0.value) records"
                }
                try context.output.result(
                    Deployed(deployed: false, changes: planned.changes, recordsToIndex: planned.recordsToIndex),
                    text: planned.text + counts.joined())
                return .success
            }
            if !values[yes] {
                context.output.note(planned.text)
                try Confirmation.ask(
                    "Deploy this to the production environment of \(container)?", expecting: "yes", context)
            }
            // What is deployed is what was shown, or nothing.
            let change = try await SchemaAnswer.change(request(expecting: planned.text, isTrial: false), context)
            let building = planned.recordsToIndex.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
                "\nindexes of \($0.key) are built from \($0.value) records; 'stratus schema indexes' shows the progress"
            }
            try context.output.result(
                Deployed(
                    deployed: !change.changes.isEmpty, changes: change.changes, recordsToIndex: planned.recordsToIndex),
                text: (values[yes] ? change.text : "deployed") + building.joined())
            return .success
        }
    }

    static func history(_ output: Output) -> Command {
        Command(
            "history", summary: "Lists the changes that operators made to a schema, the latest first",
            options: TargetOptions.context, output: output
        ) { context, values throws(ToolError) in
            guard case .history(let entries) = try await context.perform(.schema(.history(context: try values.context)))
            else { throw .unexpectedAnswer }
            let text = entries.map { entry in
                let words = [TimeText.utc(milliseconds: entry.time), entry.kind, entry.name, entry.by]
                let diff = entry.diff.split(separator: "\n").map { "\n    \($0)" }.joined()
                return "\(entry.number)  " + words.filter { !$0.isEmpty }.joined(separator: "  ") + diff
            }
            try context.output.result(History(history: entries), text: text.joined(separator: "\n"))
            return .success
        }
    }

    static func rollBack(_ output: Output) -> Command {
        Command(
            "rollback",
            summary: "Undoes a change, if nothing uses what it added",
            discussion:
                "Undoes the whole change or nothing. Removes record types and fields if no record has them, indexes "
                + "at any time, and roles if they have no members and no grants. Restores permissions, unless a later "
                + "change set them.",
            options: TargetOptions.context, positionals: [number], changes: true, output: output
        ) { context, values throws(ToolError) in
            try await SchemaAnswer.perform(
                .rollBack(context: try values.context, number: UInt64(values[number]), by: OperatorName.current),
                context,
                nothing: "nothing changed")
            return .success
        }
    }

    static func reset(_ output: Output) -> Command {
        Command(
            "reset", summary: "Deletes all data of the development environment and gives it production's schema",
            discussion: "Asks for the container's name. This cannot be undone.",
            options: [TargetOptions.container, yes], changes: true, output: output
        ) { context, values throws(ToolError) in
            let container = try values.container
            if !values[yes] {
                try Confirmation.ask(
                    "This deletes all data in the development environment of \(container), of all users.",
                    expecting: container, context)
            }
            guard
                case .done = try await context.perform(
                    .schema(.reset(container: container, by: OperatorName.current)))
            else { throw .unexpectedAnswer }
            try context.output.result(Reset(reset: container), text: "development of \(container) is reset")
            return .success
        }
    }

    static func indexes(_ output: Output) -> Command {
        Command(
            "indexes", summary: "Lists the indexes, with the progress of those that are being built",
            options: TargetOptions.context, output: output
        ) { context, values throws(ToolError) in
            guard case .indexes(let indexes) = try await context.perform(.schema(.indexes(context: try values.context)))
            else { throw .unexpectedAnswer }
            let lines = indexes.map { index in
                "\(index.recordType).\(index.field)  \(index.kinds.joined(separator: " "))\(state(of: index))"
            }
            try context.output.result(Indexes(indexes: indexes), text: lines.joined(separator: "\n"))
            return .success
        }
    }

    private static func state(of index: ControlIndex) -> String {
        if index.isComplete { return "" }
        guard let done = index.indexedRecords else { return "  waiting to be built" }
        guard let total = index.totalRecords else { return "  being built, counting its records" }
        return "  being built, \(done) of \(total) records (\(done * 100 / max(total, 1)) %)"
    }
}
