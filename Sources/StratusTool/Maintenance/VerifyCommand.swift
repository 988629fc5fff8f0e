import StratusBackups
import StratusCloudServer
import StratusCloudStore
import StratusCommandLine

/// `stratus verify`
enum VerifyCommand {
    private struct Verified: Encodable {
        var verified: String
    }

    private struct VerifiedBackup: Encodable {
        var verified: String
        var snapshot: String
        var files: Int
        var bytes: Int64
        var hasSecretKey: Bool
    }

    private static let backup = Option.optional(
        "backup", .directory, help: "Checks the newest backup in this directory instead")

    static func command(_ output: Output) -> Command {
        Command(
            "verify", summary: "Reads all data, including assets, and checks that it is undamaged",
            discussion: "Takes as long as reading all data. The server keeps running. If data is damaged, the command "
                + "prints the first damage found, and the exit code is 1. 'stratus doctor' checks more.",
            options: [backup], output: output
        ) { context, values throws(ToolError) in
            if let path = values[backup] {
                try verifyBackup(DataDirectory(path: path).path, context.output)
                return .success
            }
            let answer = try await context.withOperator { operation throws(ToolError) in
                try await CheckWatch(operation, context.output).run("reading") { .verify(progress: $0) }
            }
            guard case .verified = answer else { throw .unexpectedAnswer }
            let path = context.directory.path
            try context.output.result(Verified(verified: path), text: "the data in \(path) is undamaged")
            return .success
        }
    }

    private static func verifyBackup(_ path: String, _ output: Output) throws(ToolError) {
        let result = try ToolError.wrapping { () throws(StoreError) in
            let restorer = try BackupRestorer(try BackupDirectory(existing: path))
            let content = try restorer.verify()
            return VerifiedBackup(
                verified: path, snapshot: restorer.snapshot, files: content.files, bytes: content.bytes,
                hasSecretKey: content.hasSecretKey)
        }
        try output.result(
            result, text: "the backup \(result.snapshot) in \(path) is undamaged: \(result.files) files")
    }
}
