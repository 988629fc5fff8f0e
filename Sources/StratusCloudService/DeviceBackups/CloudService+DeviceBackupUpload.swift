import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// How files get into backups.
extension CloudService {
    /// Takes a file of a backup, whose bytes are durable when it returns. Of one that breaks off, or is refused, nothing is
    /// left. A file that is there already is kept, so a program that got no answer can send it again.
    /// - Parameters:
    ///   - length: bytes of the body; nil if the request does not say.
    ///   - body: pieces of the request's body.
    /// - Throws: `badRequest` for bytes whose SHA-256 is not the file's name, and for a configuration without bytes;
    ///   `accessDenied` for another configuration than the one that is there; `quotaExceeded` for more than the account
    ///   may back up, or a larger file than ``BackupFileKind/sizeLimit``; `notFound` without a backup of the device;
    ///   `tryAgainLater` if the body breaks off or the disk is full.
    public func receiveBackupFile<Body: AsyncSequence & Sendable>(
        _ file: BackupFile, of device: BackupDevice, length: Int64?, body: Body, for holder: AppPasswordHolder
    ) async throws(CloudError) where Body.Element == [UInt8] {
        let partition = Partition.deviceBackups(of: holder.account.id)
        try checkSize(length ?? 0, of: file.kind)
        try await register(partition)
        let upload = BackupUpload(
            account: holder.account.id, upload: AssetUploadID(environment.random), file: try newAssetFile(),
            expires: environment.now() + assetLimits.uploadLifetime)
        try await writing(partition) { transaction in
            _ = try Self.liveBackup(of: device, in: transaction)
            try self.checkRoom(for: length ?? 0, in: transaction)
            try self.checkPending(of: upload, in: transaction)
            if file.kind == .config { try Self.checkNoConfig(of: device, in: transaction) }
            try upload.begin(announced: length ?? 0, in: transaction)
        }
        let isNew: Bool
        do throws(CloudError) {
            let (digest, size) = try await write(body, to: upload.file, in: partition, length, file.kind)
            guard file.kind == .config ? size > 0 : digest == file.sha256 else {
                throw CloudError(
                    .badRequest,
                    file.kind == .config
                        ? "the configuration is empty" : "the SHA-256 of the bytes is not the name of the file")
            }
            isNew = try await settle(upload, file, of: device, digest, size, in: partition)
        } catch {
            await remove(upload, of: partition)
            throw error
        }
        if !isNew { await removeFile(upload.file, of: partition) }
    }

    // MARK: - Bounds

    private func checkSize(_ size: Int64, of kind: BackupFileKind) throws(CloudError) {
        guard size <= kind.sizeLimit else {
            throw CloudError(
                .quotaExceeded, "the file has more than \(kind.sizeLimit) bytes, the maximum of its kind",
                extensionCode: .limitExceeded)
        }
    }

    private func checkRoom(for size: Int64, in transaction: any ReadTransaction) throws {
        guard let quota = configuration.quotas.deviceBackups else { return }
        let used = try transaction.allValues(StoredDeviceBackup.self, in: Keyspace.deviceBackups)
            .reduce(Int64(0)) { $0 + $1.bytes }
        guard used + size <= quota else {
            throw CloudError(
                .quotaExceeded,
                "the backups of the account would hold \(used + size) bytes, which is more than its quota of \(quota)")
        }
    }

    private func checkPending(of upload: BackupUpload, in transaction: any WriteTransaction) throws {
        let limit = assetLimits.pendingUploads
        let pending = try AccountUploads(account: upload.account, transaction: transaction)
            .pending(within: assetLimits, adding: 0)
        guard pending.count < limit else {
            throw CloudError(.throttled, "\(limit) uploads are under way, which is the maximum", retryAfter: 60)
        }
    }

    private static func checkNoConfig(of device: BackupDevice, in transaction: any ReadTransaction) throws {
        guard try transaction.get(Keyspace.backupFile(.config, of: device)) == nil else {
            throw CloudError(.accessDenied, "the backup has a configuration, which is never replaced")
        }
    }

    // MARK: - Steps

    /// Writes a body to a file.
    /// - Returns: the SHA-256 of the bytes, which are durable, and how many they are.
    private func write<Body: AsyncSequence & Sendable>(
        _ body: Body, to file: AssetFileID, in partition: Partition, _ length: Int64?, _ kind: BackupFileKind
    ) async throws(CloudError) -> (digest: [UInt8], size: Int64) where Body.Element == [UInt8] {
        do {
            let writer = try await assets.write(file, of: AssetOwner(partition), from: 0, expecting: length)
            var (hash, size) = (SHA256(), Int64(0))
            for try await piece in body {
                size += Int64(piece.count)
                try checkSize(size, of: kind)
                hash.update(piece)
                try await writer.append(piece)
            }
            guard length == nil || length == size else {
                throw CloudError(.badRequest, "\(size) bytes have come instead of \(length ?? 0)")
            }
            try await writer.synchronize()
            return (hash.digest(), size)
        } catch {
            if error is CloudError || error is AssetStoreError { throw cloudError(from: error) }
            throw CloudError(.tryAgainLater, "the upload broke off; nothing of it is kept")
        }
    }

    private func settle(
        _ upload: BackupUpload, _ file: BackupFile, of device: BackupDevice, _ digest: [UInt8], _ size: Int64,
        in partition: Partition
    ) async throws(CloudError) -> Bool {
        let now = environment.now()
        return try await writing(partition) { transaction in
            var backup = try Self.liveBackup(of: device, in: transaction)
            let ledger = BlobLedger(transaction: transaction, now: now)
            let key = Keyspace.backupFile(file, of: device)
            if file.kind == .config {
                try Self.checkNoConfig(of: device, in: transaction)
            } else if try transaction.get(key) != nil {
                try upload.abandon(ledger)
                return false
            }
            try self.checkRoom(for: size, in: transaction)
            let stored = StoredBackupFile(asset: AssetID(sha256: digest), size: size)
            let isNew = try upload.settle(stored.asset, sha256: digest, size: size, ledger)
            transaction.set(key, stored)
            backup.add(stored)
            if file.kind == .snapshots { backup.lastBackup = now }
            transaction.set(Keyspace.deviceBackup(device), backup)
            return isNew
        }
    }

    /// Leaves nothing of an upload. If that fails, the collection does it.
    private func remove(_ upload: BackupUpload, of partition: Partition) async {
        let now = environment.now()
        do {
            try await store.write(partition) { transaction in
                try upload.abandon(BlobLedger(transaction: transaction, now: now))
            }
        } catch {
            if !(error is CloudError) { environment.report(error) }
        }
        await removeFile(upload.file, of: partition)
    }

    /// Removes a file that is marked for the collection, because its room is wanted now.
    private func removeFile(_ file: AssetFileID, of partition: Partition) async {
        do {
            try await assets.remove([file], of: AssetOwner(partition))
        } catch {
            environment.report(error)
        }
    }
}
