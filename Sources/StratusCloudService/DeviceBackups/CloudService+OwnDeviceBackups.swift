import StratusCloudModel
import StratusCloudStore

/// The backup of a device, as its person sees it. What is in it only their devices can read.
public struct OwnDeviceBackup: Hashable, Sendable {
    /// The device's name.
    public var device: BackupDevice
    /// Bytes that it holds.
    public var bytes: Int64
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    public var created: Int64
    /// When the latest snapshot was saved, in milliseconds since 1970-01-01 UTC.
    public var lastBackup: Int64?
}

/// What people do with the backups of their devices on their own page.
extension CloudService {
    /// Lists the backups of a person's devices by name.
    public func deviceBackups(of holder: AccountHolder) async throws(CloudError) -> [OwnDeviceBackup] {
        try await deviceBackups(of: holder.account.id)
    }

    func deviceBackups(of accountID: String) async throws(CloudError) -> [OwnDeviceBackup] {
        try await reading(.deviceBackups(of: accountID)) { transaction in
            try Self.storedBackups(in: transaction).filter { !$0.backup.isDeleted }.map { device, backup in
                OwnDeviceBackup(
                    device: device, bytes: backup.bytes, created: backup.created, lastBackup: backup.lastBackup)
            }
        }
    }

    /// Deletes the backup of a device for good.
    /// - Throws: `notFound` if there is none.
    public func deleteDeviceBackup(
        of device: BackupDevice, for holder: AccountHolder
    ) async throws(CloudError) {
        let partition = Partition.deviceBackups(of: holder.account.id)
        try await writing(partition) { transaction in
            var backup = try Self.liveBackup(of: device, in: transaction)
            backup.isDeleted = true
            transaction.set(Keyspace.deviceBackup(device), backup)
        }
        try await removeDeletedBackups(in: partition)
    }

    /// Removes what is left of deleted backups, in steps. A deletion that a crash cut short the collection finishes.
    func removeDeletedBackups(in partition: Partition) async throws(CloudError) {
        let deleted = try await reading(partition) { transaction in
            try Self.storedBackups(in: transaction).filter(\.backup.isDeleted).map(\.device)
        }
        let now = environment.now()
        for device in deleted {
            while try await writing(partition, { try Self.removeStep(of: device, at: now, in: $0) }) {}
        }
    }

    /// Removes all backups of an account that is being erased.
    /// - Returns: files removed.
    func eraseDeviceBackups(of accountID: String) async throws(CloudError) -> Int {
        let partition = Partition.deviceBackups(of: accountID)
        try await writing(partition) { transaction in
            for (device, backup) in try Self.storedBackups(in: transaction) {
                var backup = backup
                backup.isDeleted = true
                transaction.set(Keyspace.deviceBackup(device), backup)
            }
        }
        try await removeDeletedBackups(in: partition)
        let files = try await collect(in: partition, isFinal: true)
        try await clearAll(of: partition)
        try await writing(.assetDatabases) { $0.clear(Key(Array(partition.name.utf8))) }
        return files
    }

    private static func storedBackups(
        in transaction: any ReadTransaction
    ) throws -> [(device: BackupDevice, backup: StoredDeviceBackup)] {
        try transaction.entries(in: Keyspace.deviceBackups, limit: .max).compactMap { entry in
            guard let device = Keyspace.backedUpDevice(entry.key) else { return nil }
            return (device, try StoredDeviceBackup(stored: entry.value))
        }
    }

    /// - Returns: whether there may be more.
    private static func removeStep(
        of device: BackupDevice, at now: Int64, in transaction: any WriteTransaction
    ) throws -> Bool {
        let entries = try transaction.entries(
            in: Keyspace.backupFiles(of: device), limit: DeviceBackupLimits.removedPerStep)
        let ledger = BlobLedger(transaction: transaction, now: now)
        for entry in entries {
            transaction.clear(entry.key)
            try ledger.release(try StoredBackupFile(stored: entry.value).asset)
        }
        guard entries.count < DeviceBackupLimits.removedPerStep else { return true }
        transaction.clear(Keyspace.deviceBackup(device))
        return false
    }
}
