import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Removes bytes that no record has had for some time, and uploads that were not saved. Safe at any time, and after
    /// any crash; what one run leaves, the next one takes up.
    /// - Returns: files removed.
    @discardableResult
    public func collectAssets() async throws(CloudError) -> Int {
        var removed = 0
        var start = Key()
        while true {
            let range = KeyRange(lower: start, upper: Key().afterAllWithThisPrefix)
            let databases = try await reading(.assetDatabases) {
                try $0.entries(in: range, limit: AssetLimits.databasesPerStep)
            }
            for database in databases {
                if Task.isCancelled { return removed }
                removed += try await collect(in: Partition(String(decoding: database.key.bytes, as: UTF8.self)))
            }
            guard let last = databases.last, databases.count == AssetLimits.databasesPerStep else { return removed }
            start = last.key.next
        }
    }

    /// Lets the collection know a database, before its first file is made.
    func register(_ partition: Partition) async throws(CloudError) {
        guard !registeredAssetDatabases.contains(partition) else { return }
        let key = Key(Array(partition.name.utf8))
        if try await reading(.assetDatabases, { try $0.get(key) }) == nil {
            try await writing(.assetDatabases) { $0.set(key, []) }
        }
        registeredAssetDatabases.insert(partition)
    }

    /// - Parameter isFinal: also what is not due yet, uploads under way included: nothing will be saved any more.
    func collect(in partition: Partition, isFinal: Bool = false) async throws(CloudError) -> Int {
        // A crash may have left a deleted zone that still holds assets.
        if try await reading(partition, { try !$0.entries(in: Keyspace.deletedZones, limit: 1).isEmpty }) {
            try await clearDeletedZones(in: partition)
        }
        if partition.holdsDeviceBackups { try await removeDeletedBackups(in: partition) }
        let now = environment.now()
        let times: [AssetDue.Kind: Int64] =
            isFinal
            ? [.upload: .max, .blob: .max] : [.upload: now, .blob: now - assetLimits.graceTime]
        // Uploads may leave blobs and both leave files, so this order finds all in one go.
        for kind in [AssetDue.Kind.upload, .blob] {
            let range = Keyspace.assetsDue(kind, at: times[kind, default: 0])
            guard try await reading(partition, { try !$0.entries(in: range, limit: 1).isEmpty }) else { continue }
            while try await writing(partition, { try Self.collectStep(range, at: now, in: $0) }) {}
        }
        return try await removeFiles(of: partition)
    }

    /// - Returns: whether there may be more.
    private static func collectStep(
        _ range: KeyRange, at now: Int64, in transaction: any WriteTransaction
    ) throws -> Bool {
        let entries = try transaction.entries(in: range, limit: AssetLimits.collectedPerStep)
        let ledger = BlobLedger(transaction: transaction, now: now)
        for entry in entries {
            transaction.clear(entry.key)
            guard let (time, due) = Keyspace.due(entry.key) else { continue }
            switch due {
            case .file: break
            case .blob(let asset):
                guard let blob = try ledger.blob(asset), blob.references == 0, blob.unusedSince == time else {
                    continue
                }
                transaction.clear(Keyspace.assetBlob(asset))
                ledger.discard(blob.file)
            case .upload(let account, let id):
                let key = Keyspace.assetUpload(account: account, id)
                guard let upload: StoredUpload = try transaction.value(at: key), upload.expires == time else {
                    continue
                }
                try AccountUploads(account: account, transaction: transaction).remove(id, upload)
                if let asset = upload.asset { try ledger.release(asset) }
                if let file = upload.file { ledger.discard(file) }
            }
        }
        return entries.count == AssetLimits.collectedPerStep
    }

    /// Removes the files first and their marks afterwards, so that a crash in between only makes it happen again.
    private func removeFiles(of partition: Partition) async throws(CloudError) -> Int {
        let range = Keyspace.assetsDue(.file, at: 0)
        var removed = 0
        while true {
            let entries = try await reading(partition) {
                try $0.entries(in: range, limit: AssetLimits.collectedPerStep)
            }
            guard !entries.isEmpty else { return removed }
            let files = entries.compactMap { entry -> AssetFileID? in
                if case .file(let file)? = Keyspace.due(entry.key)?.due { file } else { nil }
            }
            try await mapping { try await self.assets.remove(files, of: AssetOwner(partition)) }
            try await writing(partition) { transaction in
                for entry in entries { transaction.clear(entry.key) }
            }
            removed += files.count
        }
    }
}

extension Partition {
    /// The names of the databases that have, or had, assets.
    static let assetDatabases = Partition("assets")
}
