import StratusBackups
import StratusCloudServer
import StratusCommandLine

/// `stratus backup`
enum BackupCommand {
    private static let directory = Positional.required(
        "directory", .directory, help: "Where the backups are; made if it is not there")
    private static let keep = Option.value(
        "keep", .integer(BackupFormat.keptRange), default: BackupFormat.kept,
        help: "How many backups stay in the directory; the oldest beyond that go")
    private static let includeKeys = Option.flag(
        "include-keys",
        help: "Takes secret.key and vapid.key along. Who has such a backup can make tokens for everybody")

    static func command(_ output: Output) -> Command {
        Command(
            "backup", summary: "Copies all data that is new since the last backup",
            discussion:
                "A backup is the state at one moment, assets included; the server goes on meanwhile. It counts when it "
                + "is complete and on disk, and a backup that is cut harms none before it. What an earlier backup in the "
                + "directory holds is not copied again.\n\n"
                + "The server itself writes it, where it may write. secret.key is left out without --include-keys: "
                + "keep it elsewhere. 'stratus restore' makes a data directory of a backup, 'stratus verify --backup' "
                + "checks one.\n\n"
                + "The bytes of assets that are copied are compared with their checksums. If some are damaged, the backup "
                + "is completed with what the one before it has of them, they are named, and the exit code is 1.",
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
                "\(summary.damagedCount) assets are damaged; 'stratus doctor' says whose they are, and an earlier backup "
                    + "may have them whole")
            return .failure
        }
    }
}
