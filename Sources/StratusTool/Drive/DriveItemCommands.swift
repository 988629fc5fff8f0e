import StratusCommandLine
import StratusUbiquity

/// Commands about items, which ask the agent of the container.
enum DriveItemCommands {
    static func commands(_ output: Output) -> [Command] {
        [
            status(output), list(output),
            change("download", "Downloads files, or all in folders, and waits for them", output) {
                (agent, path) throws(DriveError) in try await agent.download(path)
            },
            change("evict", "Removes the contents of uploaded files from this machine", output) {
                (agent, path) throws(DriveError) in try await agent.evict(path)
            },
            change("pin", "Keeps the contents of files and folders on this machine", output) {
                (agent, path) throws(DriveError) in try await agent.setPinned(true, path)
            },
            change("unpin", "Undoes 'pin'", output) {
                (agent, path) throws(DriveError) in try await agent.setPinned(false, path)
            },
            change("deselect", "Removes folders from this machine; the server and other devices keep them", output) {
                (agent, path) throws(DriveError) in try await agent.setSelected(false, path)
            },
            change("select", "Brings folders back to this machine", output) {
                (agent, path) throws(DriveError) in try await agent.setSelected(true, path)
            },
            versions(output), restore(output), conflicts(output), deleted(output),
        ]
    }

    // MARK: - Looking

    private static func status(_ output: Output) -> Command {
        Command(
            "status", summary: "Shows how far the files are synchronized", options: [DriveTarget.container],
            output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let status = try await target.ask { (agent) throws(DriveError) in try await agent.status() }
            try context.output.result(status, text: text(of: status))
            return .success
        }
    }

    private static func text(of status: DriveStatus) -> String {
        var lines = [
            "directory: \(status.directory)", "container: \(status.container)",
            "server: \(status.isOnline ? "reachable" : "not reachable")",
            "items: \(status.items), \(status.bytes) bytes", "pending: \(status.pending)",
            "conflicts: \(status.conflicts)",
        ]
        if let count = status.unwatched {
            lines.append(
                "not watched: \(count) directories, which are scanned every 5 minutes; raise fs.inotify.max_user_watches"
            )
        }
        for path in status.unmounted ?? [] {
            lines.append("not mounted: \(TerminalText.shown(path)), whose files stay as they were until then")
        }
        for path in status.deselected { lines.append("not selected: \(TerminalText.shown(path))") }
        for transfer in status.transfers {
            let verb = transfer.isUpload ? "uploading" : "downloading"
            lines.append("\(verb) \(TerminalText.shown(transfer.path)): \(transfer.done) of \(transfer.total) bytes")
        }
        for failure in status.failures {
            lines.append("failed \(TerminalText.shown(failure.path)): \(TerminalText.shown(failure.error.text))")
        }
        return lines.joined(separator: "\n")
    }

    private static let folder = Positional.optional(
        "path", .file, help: "The folder; the container's directory by default")

    private struct Items: Encodable {
        var items: [DriveItemReport]
    }

    private static func list(_ output: Output) -> Command {
        Command(
            "ls", summary: "Lists a folder, with what is not on this machine", options: [DriveTarget.container],
            positionals: [folder], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let path = try values[folder].map { (name) throws(ToolError) in try target.path(name) } ?? ""
            let items = try await target.ask { (agent) throws(DriveError) in try await agent.items(in: path) }
            try write(items, empty: "the folder is empty", to: context.output)
            return .success
        }
    }

    private static func write(_ items: [DriveItem], empty: String, to output: Output) throws(ToolError) {
        let reports = items.map { DriveItemReport($0) }
        try output.list(Items(items: reports), reports.map(\.line), empty: empty)
    }

    // MARK: - Contents

    private struct Changed: Encodable {
        var paths: [String]
    }

    /// A command that does one thing to each of some items. It stops at the first that fails.
    private static func change(
        _ name: String, _ summary: String, _ output: Output,
        _ body: @escaping @Sendable (DriveConnection, String) async throws(DriveError) -> Void
    ) -> Command {
        Command(
            name, summary: summary, options: [DriveTarget.container], positionals: [DriveTarget.paths], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let paths = try target.paths(values[DriveTarget.paths])
            for path in paths {
                try await target.ask { (agent) throws(DriveError) in try await body(agent, path) }
            }
            try context.output.list(Changed(paths: paths), paths.map(TerminalText.shown), empty: "")
            return .success
        }
    }

    // MARK: - Versions

    private static let version = Positional.required(
        "version", .string("version"), help: "The version, as 'stratus drive versions' prints it")

    private struct Versions: Encodable {
        var path: String
        var versions: [DriveVersionReport]
    }

    private static func versions(_ output: Output) -> Command {
        Command(
            "versions", summary: "Lists the other versions of a file that the server keeps",
            options: [DriveTarget.container], positionals: [DriveTarget.path], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let path = try target.path(values[DriveTarget.path])
            let versions = try await target.ask { (agent) throws(DriveError) in try await agent.versions(of: path) }
            let reports = versions.map { DriveVersionReport($0) }
            try context.output.list(
                Versions(path: path, versions: reports), reports.map(\.line), empty: "there is no other version")
            return .success
        }
    }

    private struct Restored: Encodable {
        var path: String
    }

    private static func restore(_ output: Output) -> Command {
        Command(
            "restore", summary: "Makes a former version of a file the current one", options: [DriveTarget.container],
            positionals: [DriveTarget.path, version], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let path = try target.path(values[DriveTarget.path])
            try await target.ask { (agent) throws(DriveError) in
                try await agent.restore(path, version: values[version])
            }
            try context.output.result(Restored(path: path), text: "restored \(TerminalText.shown(path))")
            return .success
        }
    }

    // MARK: - Conflicts

    private static let kept = Option.value(
        "keep", .string("version"), default: "current",
        help: "The version to keep, as 'stratus drive versions' prints it")

    private static func conflicts(_ output: Output) -> Command {
        let resolve = Command(
            "resolve", summary: "Keeps one version of a file and ends its conflict", options: [kept],
            positionals: [DriveTarget.path], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let path = try target.path(values[DriveTarget.path])
            try await target.ask { (agent) throws(DriveError) in
                try await agent.resolve(path, keeping: values[kept])
            }
            try context.output.result(Restored(path: path), text: "resolved \(TerminalText.shown(path))")
            return .success
        }
        return Command(
            "conflicts", summary: "Lists the files of which devices wrote different contents",
            options: [DriveTarget.container], subcommands: [resolve], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let items = try await target.ask { (agent) throws(DriveError) in try await agent.conflicts() }
            try write(items, empty: "there is no conflict", to: context.output)
            return .success
        }
    }

    // MARK: - Recently deleted

    private static let record = Positional.required(
        "record", .string("name"),
        help: "The name of the item's record, as 'stratus drive deleted --json' prints it")

    private static func deleted(_ output: Output) -> Command {
        let restore = Command(
            "restore", summary: "Takes an item out of Recently Deleted", positionals: [record], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let path = try await target.ask { (agent) throws(DriveError) in
                try await agent.restoreDeleted(values[record])
            }
            try context.output.result(Restored(path: path), text: "restored \(TerminalText.shown(path))")
            return .success
        }
        return Command(
            "deleted", summary: "Lists what is in Recently Deleted", options: [DriveTarget.container],
            subcommands: [restore], output: output
        ) { context, values throws(ToolError) in
            let target = try DriveTarget(values)
            let items = try await target.ask { (agent) throws(DriveError) in try await agent.recentlyDeleted() }
            try write(items, empty: "nothing was deleted recently", to: context.output)
            return .success
        }
    }
}
