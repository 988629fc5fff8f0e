import FoundationEssentials
import Glibc
import StratusCloudService
import StratusCommandLine

/// `stratus device …`: backs up this machine to the person's account, with restic. What is in a backup only machines with
/// its recovery key can read.
enum DeviceCommands {
    static func command(_ output: Output) -> Command {
        Command(
            "device", summary: "Backs up this machine to your account, and restores it",
            discussion:
                "Needs the package 'restic', and an app password, which you create on the server's page /account. "
                + "The first backup makes a recovery key and shows it. Keep it in another place: without it nobody can "
                + "read the backup, the server included. App password and key are kept in $XDG_DATA_HOME/stratus/backup, "
                + "readable by you only.",
            subcommands: [backup(output), list(output), restore(output), forget(output)])
    }

    // MARK: - Backing up

    private static let paths = Positional.repeated(
        "path", .file, help: "What to back up; your home folder by default")

    private struct BackedUp: Encodable {
        var device: String
        var snapshot: String
        var files: UInt64
        var bytes: UInt64
        var addedBytes: UInt64
        /// Shown after the first backup only.
        var recoveryKey: String?
        /// Whether everything could be read.
        var complete: Bool

        init(_ summary: Summary, _ device: BackupDevice, recoveryKey: String?, isComplete: Bool) {
            self.device = device.name
            snapshot = summary.snapshotID
            files = summary.totalFilesProcessed
            bytes = summary.totalBytesProcessed
            addedBytes = summary.dataAdded
            self.recoveryKey = recoveryKey
            complete = isComplete
        }
    }

    private struct Summary: Decodable {
        var messageType: String
        var snapshotID: String
        var totalFilesProcessed: UInt64
        var totalBytesProcessed: UInt64
        var dataAdded: UInt64

        enum CodingKeys: String, CodingKey {
            case messageType = "message_type"
            case snapshotID = "snapshot_id"
            case totalFilesProcessed = "total_files_processed"
            case totalBytesProcessed = "total_bytes_processed"
            case dataAdded = "data_added"
        }
    }

    private static func backup(_ output: Output) -> Command {
        Command(
            "backup", summary: "Backs up your home folder, or other files and folders",
            discussion: "Left out are caches, temporary files, and everything that has the extended attribute "
                + "\(BackupExclusions.attribute), folders with what is in them. Programs that replace a file when they "
                + "save set it again afterwards, or mark the folder. Other file systems below a folder are left out, too. "
                + "The first time, give --url and --email; then they are kept.",
            options: DeviceOptions.all, positionals: [paths], output: output
        ) { context, values throws(ToolError) in
            let device = try DeviceOptions.device(values)
            let sources = try sources(values[paths])
            let access = try DeviceOptions.access(to: device, values, makesKey: true)
            let restic = Restic(access.settings, device)
            let isFirst = try await prepare(access, device, restic)
            let patterns = try BackupSettings.directory() + "/\(device.name).exclude"
            try AtomicFile.replace(patterns, with: try BackupExclusions.patterns(in: sources))
            if isFirst { context.output.note(keyNote(access.settings, device)) }
            // At a terminal restic shows how far it is.
            let reads = context.output.isJSON
            let outcome = try restic.run(
                ["backup", "--host", device.name, "--one-file-system", "--exclude-caches", "--exclude-file", patterns]
                    + (reads ? ["--json"] : []) + ["--"] + sources, reads: reads)
            let isComplete = outcome.status == 0
            // 3: a snapshot was saved, without what could not be read.
            guard isComplete || outcome.status == 3 else { throw Restic.failure(outcome.status) }
            if reads {
                guard let summary = summary(outcome.output) else { throw Restic.failure(outcome.status) }
                let key = isFirst ? access.settings.recoveryKey : nil
                try context.output.result(
                    BackedUp(summary, device, recoveryKey: key, isComplete: isComplete), text: summary.snapshotID)
            }
            guard isComplete else {
                context.output.note("some files could not be read and are not in the backup; they are named above")
                return .failure
            }
            return .success
        }
    }

    /// Makes sure that there is a backup to add to, and that this machine can reach it next time.
    /// - Returns: whether the backup was begun, so that its key is to be shown.
    private static func prepare(
        _ access: DeviceOptions.Access, _ device: BackupDevice, _ restic: Restic
    ) async throws(ToolError) -> Bool {
        let exists = try await BackupServer(access.settings, device).hasBackup()
        if exists {
            guard !access.hasNewKey else {
                throw ToolError(
                    "the account has a backup of a device '\(device.name)' already; go on with it with --key-file, or "
                        + "choose another name with --device", code: "EXISTS")
            }
        } else if !access.areKept, !access.hasNewKey {
            throw BackupServer.noBackup(of: device)
        }
        // Before anything is encrypted with the key.
        try access.settings.write(of: device)
        guard !exists else { return false }
        let outcome = try restic.run(["init", "--repository-version", "2", "--quiet"], reads: true)
        guard outcome.status == 0 else { throw Restic.failure(outcome.status) }
        return true
    }

    private static func keyNote(_ settings: BackupSettings, _ device: BackupDevice) -> String {
        "recovery key of \(device.name): \(settings.recoveryKey)\n"
            + "Keep it in another place than this machine: without it nobody can read the backup, the server included."
    }

    private static func summary(_ output: [UInt8]) -> Summary? {
        output.split(separator: UInt8(ascii: "\n")).reversed().lazy
            .compactMap { try? JSONDecoder().decode(Summary.self, from: Data($0)) }.first
    }

    private static func sources(_ paths: [String]) throws(ToolError) -> [String] {
        var sources: [String] = []
        for path in paths.isEmpty ? [try UserDirectories.home()] : paths {
            guard let real = realpath(path, nil) else {
                throw ToolError("cannot back up \(path): \(DataDirectory.systemMessage())")
            }
            defer { free(real) }
            guard let text = String(validatingCString: real) else {
                throw ToolError("the path \(path) is not UTF-8; back up the folder that it is in")
            }
            sources.append(text)
        }
        return sources
    }

    // MARK: - Looking

    private struct Snapshot: Codable {
        var id: String
        var time: String
        var paths: [String]
    }

    private struct Listed: Encodable {
        var device: String
        var snapshots: [Snapshot]
    }

    private static func list(_ output: Output) -> Command {
        Command(
            "list", summary: "Lists the snapshots of a device", options: DeviceOptions.all, output: output
        ) { context, values throws(ToolError) in
            let (device, restic) = try await existing(values)
            let snapshots = try restic.json([Snapshot].self, ["snapshots", "--no-lock"])
            try context.output.list(
                Listed(device: device.name, snapshots: snapshots),
                snapshots.map { "\($0.id.prefix(8))  \($0.time.prefix(19))  \($0.paths.joined(separator: " "))" },
                empty: "there is no snapshot of \(device.name)")
            return .success
        }
    }

    private static func existing(_ values: Values) async throws(ToolError) -> (BackupDevice, Restic) {
        let device = try DeviceOptions.device(values)
        let access = try DeviceOptions.access(to: device, values)
        guard try await BackupServer(access.settings, device).hasBackup() else {
            throw BackupServer.noBackup(of: device)
        }
        return (device, Restic(access.settings, device))
    }

    // MARK: - Restoring

    private static let target = Option.required(
        "target", .directory, help: "The folder to restore into, which is made if there is none")
    private static let snapshot = Option.value(
        "snapshot", .string("id"), default: "latest", help: "The snapshot, as 'device list' prints it")
    private static let restored = Positional.repeated(
        "path", .string("path"), help: "What to restore, as an absolute path; everything by default")

    private struct Restored: Encodable {
        var device: String
        var target: String
    }

    private static func restore(_ output: Output) -> Command {
        Command(
            "restore", summary: "Restores a backup into a folder",
            discussion:
                "Files lie in the folder under the paths that they had. On another machine, or an empty one, give "
                + "--device, --url, --email and --key-file, the file with the recovery key.",
            options: DeviceOptions.all + [target, snapshot], positionals: [restored], output: output
        ) { context, values throws(ToolError) in
            let (device, restic) = try await existing(values)
            let includes = values[restored].flatMap { ["--include", $0] }
            let outcome = try restic.run(
                ["restore", "--no-lock", "--verify", "--host", device.name, "--target", values[target]] + includes
                    + ["--", values[snapshot]], reads: true)
            guard outcome.status == 0 else { throw Restic.failure(outcome.status) }
            try context.output.result(
                Restored(device: device.name, target: values[target]),
                text: "\(device.name) is restored into \(values[target])")
            return .success
        }
    }

    // MARK: - Forgetting

    private static let keeps = [
        ("last", "latest snapshots"), ("daily", "days"), ("weekly", "weeks"), ("monthly", "months"),
        ("yearly", "years"),
    ].map { word, noun in
        (
            word,
            Option.optional("keep-\(word)", .integer(1...10_000), help: "The number of \(noun) to keep a snapshot of")
        )
    }
    private static let ids = Positional.repeated(
        "snapshot", .string("id"), help: "Snapshots to forget, as 'device list' prints them")

    private struct Forgotten: Encodable {
        var device: String
        var snapshots: [Snapshot]
    }

    private static func forget(_ output: Output) -> Command {
        Command(
            "forget", summary: "Deletes old snapshots, and what only they have",
            discussion: "The app password that this machine keeps adds to the backup and deletes nothing, so a program "
                + "that takes over the machine cannot destroy older backups. This command asks for another app password, "
                + "created with the right to delete backups, and does not keep it.",
            options: DeviceOptions.all + keeps.map(\.1), positionals: [ids], output: output
        ) { context, values throws(ToolError) in
            let policy = keeps.flatMap { word, option in values[option].map { ["--keep-\(word)", "\($0)"] } ?? [] }
            let named = values[ids]
            guard policy.isEmpty != named.isEmpty else {
                throw .usage("say which snapshots to forget, or which to keep with --keep-last and the like")
            }
            let device = try DeviceOptions.device(values)
            let access = try DeviceOptions.access(to: device, values)
            var settings = access.settings
            settings.appPassword = try DeviceOptions.otherAppPassword(values, access)
            try await BackupServer(settings, device).checkMayDelete()
            let restic = Restic(settings, device)
            let outcome = try restic.run(
                ["forget", "--prune", "--quiet", "--host", device.name, "--group-by", "host"] + policy + ["--"] + named,
                reads: true)
            guard outcome.status == 0 else { throw Restic.failure(outcome.status) }
            let left = try restic.json([Snapshot].self, ["snapshots", "--no-lock"])
            try context.output.result(
                Forgotten(device: device.name, snapshots: left),
                text: "\(left.count) snapshots of \(device.name) are left")
            return .success
        }
    }
}
