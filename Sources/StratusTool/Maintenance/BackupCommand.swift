import StratusBackups
import StratusCloudServer
import StratusCommandLine

/// `stratus backup`
enum BackupCommand {
    private static let directory = Positional.required(
        "directory", .directory, help: "The directory of the backups; created if it does not exist")
    private static let keep = Option.value(
        "keep", .integer(BackupFormat.keptRange), default: BackupFormat.kept,
        help: "How many backups to keep; older ones are deleted")
    private static let includeKeys = Option.flag(
        "include-keys",
        help: "Includes secret.key and vapid.key. Anyone with such a backup can create tokens for every user")

    static func command(_ output: Output) -> Command {
        Command(
            "backup", summary: "Copies all data that is new since the last backup",
            discussion:
                "A backup contains the state at one moment, including assets. The server keeps running. An "
                + "interrupted backup does not damage earlier ones. Data that an earlier backup in the directory "
                + "holds is not copied again.\n\n"
                + "If the server is running, it writes the backup itself and needs write access to the directory. "
                + "Without --include-keys, secret.key is left out: keep a copy elsewhere. 'stratus restore' "
                + "creates a data directory from a backup, and 'stratus verify --backup' checks one.\n\n"
                + "The checksums of copied assets are verified. If an asset is damaged, the backup keeps the copy of "
                + "the previous backup, the command names the asset, and the exit code is 1.",
            options: [keep, includeKeys], positionals: [directory], output: output
        ) { context, values throws(ToolError) in
            let path = DataDirectory(path: values[directory]).path
            let request = ControlRequest.backUp(
                path: path, keep: values[keep], includesKeys: values[includeKeys])
            guard case .backup(let summary) = try await context.perform(request) else { throw .unexpectedAnswer }
            let gone = summary.removed.isEmpty ? "" : "; removed \(summary.removed.joined(separator: ", "))"
            try context.output.result(
                summary,
                text: "backed up to \(path) as \(summary.snapshot): \(summary.files) files of \(summary.bytes) bytes, "
                    + "of which \(summary.newBytes) are new\(gone)")
            guard summary.damagedCount > 0 else { return .success }
            for path in summary.damaged { context.output.note("damaged: \(path)") }
            context.output.note(
                "\(summary.damagedCount) assets are damaged; 'stratus doctor' shows where they are used, and an "
                    + "earlier backup may have undamaged copies")
            return .failure
        }
    }
}
