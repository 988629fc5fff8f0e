import StratusBackups
import StratusCloudStore
import StratusCommandLine

/// `stratus restore`
enum RestoreCommand {
    private struct Restored: Encodable {
        var restored: String
        var snapshot: String
        var files: Int
        var bytes: Int64
        var hasSecretKey: Bool
    }

    private struct Listed: Encodable {
        var backups: [String]
    }

    private static let backup = Positional.required(
        "directory", .directory, help: "The directory of 'stratus backup'")
    private static let snapshot = Option.optional(
        "at", .string("name"), help: "Which backup, as 'stratus backup' named it; the newest if left out")
    private static let secretKey = Option.optional(
        "secret-key", .file, help: "The secret.key that belongs to the data, where the backup has none")
    private static let list = Option.flag("list", help: "Lists the backups in the directory, and does nothing else")

    static func command(_ output: Output) -> Command {
        Command(
            "restore", summary: "Makes a data directory of a backup",
            discussion:
                "--data names the new directory, which must not be there, or be empty. Every byte is checked, then the "
                + "data as 'stratus verify' does; the directory has its name when all of that is done. A restore that is "
                + "cut leaves at most NEW.partial, which the next one replaces. An empty directory that cannot be replaced, "
                + "such as a mounted volume, is filled by way of NEW/.partial.\n\n"
                + "Without secret.key the data cannot be served: give --secret-key, or put the file there afterwards.",
            options: [snapshot, secretKey, list], positionals: [backup], output: output
        ) { context, values throws(ToolError) in
            let source = DataDirectory(path: values[backup]).path
            let directory = try ToolError.wrapping { () throws(StoreError) in try BackupDirectory(existing: source) }
            guard !values[list] else {
                let names = try ToolError.wrapping { () throws(StoreError) in try directory.snapshotNames() }
                try context.output.result(Listed(backups: names), text: names.joined(separator: "\n"))
                return .success
            }
            let restorer = try ToolError.wrapping { () throws(StoreError) in
                try BackupRestorer(directory, snapshot: values[snapshot])
            }
            let key = try values[secretKey].map { path throws(ToolError) in
                guard let key = try SecretKeyFile.read(path) else { throw ToolError("there is no file \(path)") }
                return key
            }
            let content = try await Restoration(restorer, to: context.directory, secretKey: key).run()
            let target = context.directory.path
            try context.output.result(
                Restored(
                    restored: target, snapshot: restorer.snapshot, files: content.files, bytes: content.bytes,
                    hasSecretKey: content.hasSecretKey),
                text: "restored \(restorer.snapshot) to \(target): \(content.files) files of \(content.bytes) bytes")
            if !content.hasSecretKey {
                context.output.note(
                    "secret.key is not in the backup: put it into \(target) before you start the server")
            }
            return .success
        }
    }
}
