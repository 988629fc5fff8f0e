import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What a program does with the backup of a device that its app password opens.
extension CloudService {
    /// Makes the backup of a device, without files. Does nothing if there is one.
    /// - Throws: `quotaExceeded` beyond ``DeviceBackupLimits/devicesPerAccount``; `conflict` while what is left of a
    ///   deleted backup of this name is removed.
    public func createDeviceBackup(
        of device: BackupDevice, for holder: AppPasswordHolder
    ) async throws(CloudError) {
        let partition = Partition.deviceBackups(of: holder.account.id)
        try await register(partition)
        let now = environment.now()
        try await writing(partition) { transaction in
            let known: StoredDeviceBackup? = try transaction.value(at: Keyspace.deviceBackup(device))
            if let known {
                guard !known.isDeleted else {
                    throw CloudError(
                        .conflict, "the deleted backup of '\(device.name)' is still being removed; try again")
                }
                return
            }
            let limit = DeviceBackupLimits.devicesPerAccount
            guard try transaction.entries(in: Keyspace.deviceBackups, limit: limit).count < limit else {
                throw CloudError(.quotaExceeded, "an account backs up at most \(limit) devices; delete one first")
            }
            transaction.set(Keyspace.deviceBackup(device), StoredDeviceBackup(created: now))
        }
    }

    /// The bytes of a file of a backup.
    /// - Throws: `notFound` if there is no such file.
    public func downloadBackupFile(
        _ file: BackupFile, of device: BackupDevice, for holder: AppPasswordHolder
    ) async throws(CloudError) -> AssetDownload {
        let partition = Partition.deviceBackups(of: holder.account.id)
        let stored = try await reading(partition) { transaction in
            _ = try Self.liveBackup(of: device, in: transaction)
            let stored: StoredBackupFile? = try transaction.value(at: Keyspace.backupFile(file, of: device))
            guard let stored else { throw CloudError(.notFound, "the backup has no such file") }
            return stored
        }
        return try await download(stored.asset, from: partition)
    }

    /// The name and size of a file of a backup.
    public struct ListedBackupFile: Hashable, Sendable {
        /// 64 hexadecimal digits.
        public var name: String
        /// Bytes.
        public var size: Int64
    }

    /// The next files of a kind in the order of their names.
    /// - Parameter after: the last name of the page before; nil begins.
    /// - Returns: no more than ``DeviceBackupLimits/listedPerStep``; none at the end.
    /// - Throws: `notFound` if there is no backup of the device.
    public func listBackupFiles(
        _ kind: BackupFileKind, of device: BackupDevice, after: ListedBackupFile?, for holder: AppPasswordHolder
    ) async throws(CloudError) -> [ListedBackupFile] {
        let prefix = Keyspace.backupFile(BackupFile(kind: kind, sha256: []), of: device).bytes.count
        var range = Keyspace.backupFiles(kind, of: device)
        if let name = after?.name, let file = BackupFile(kind, name: name) {
            range.lower = Keyspace.backupFile(file, of: device).next
        }
        return try await reading(.deviceBackups(of: holder.account.id)) { [range] transaction in
            _ = try Self.liveBackup(of: device, in: transaction)
            return try transaction.entries(in: range, limit: DeviceBackupLimits.listedPerStep).map { entry in
                ListedBackupFile(
                    name: Hex.encode(Array(entry.key.bytes.dropFirst(prefix))),
                    size: try StoredBackupFile(stored: entry.value).size)
            }
        }
    }

    /// Removes a file of a backup; does nothing if there is none.
    /// - Throws: `accessDenied` for another file than a lock, unless the app password may delete backups: a program that
    ///   was taken over must not be able to destroy what was backed up before. `notFound` without a backup of the device.
    public func deleteBackupFile(
        _ file: BackupFile, of device: BackupDevice, for holder: AppPasswordHolder
    ) async throws(CloudError) {
        guard file.kind == .locks || holder.mayDeleteBackups else {
            throw CloudError(.accessDenied, "this app password adds to backups and deletes nothing of them")
        }
        let now = environment.now()
        try await writing(.deviceBackups(of: holder.account.id)) { transaction in
            var backup = try Self.liveBackup(of: device, in: transaction)
            let key = Keyspace.backupFile(file, of: device)
            guard let stored: StoredBackupFile = try transaction.value(at: key) else { return }
            transaction.clear(key)
            try BlobLedger(transaction: transaction, now: now).release(stored.asset)
            backup.remove(stored)
            transaction.set(Keyspace.deviceBackup(device), backup)
        }
    }

    static func liveBackup(of device: BackupDevice, in transaction: any ReadTransaction) throws -> StoredDeviceBackup {
        let backup: StoredDeviceBackup? = try transaction.value(at: Keyspace.deviceBackup(device))
        guard let backup, !backup.isDeleted else {
            throw CloudError(.notFound, "there is no backup of a device '\(device.name)'")
        }
        return backup
    }
}

extension StoredDeviceBackup {
    mutating func add(_ file: StoredBackupFile) {
        files += 1
        bytes += file.size
    }

    mutating func remove(_ file: StoredBackupFile) {
        files -= min(files, 1)
        bytes -= min(bytes, file.size)
    }
}
