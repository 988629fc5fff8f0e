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
        "directory", .directory, help: "The directory of the backups")
    private static let snapshot = Option.optional(
        "at", .string("name"), help: "The name of a backup, as 'stratus backup' prints it; the newest by default")
    private static let secretKey = Option.optional(
        "secret-key", .file, help: "The secret.key of the data, if the backup has none")
    private static let list = Option.flag("list", help: "Lists the backups in the directory, and restores nothing")

    static func command(_ output: Output) -> Command {
        Command(
            "restore", summary: "Creates a data directory from a backup",
            discussion:
                "--data names the new directory, which must not exist or be empty. The data is written to "
                + "NEW.partial, checked as 'stratus verify' does, and renamed when it is complete. An interrupted "
                + "restore leaves at most NEW.partial, which the next restore replaces. If NEW is an empty directory "
                + "that cannot be replaced, such as a mounted volume, NEW/.partial is used instead.\n\n"
                + "The server needs secret.key: give --secret-key, or copy the file into the directory afterwards.",
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
                    "secret.key is not in the backup: copy it to \(target) before you start the server")
            }
            return .success
        }
    }
}
