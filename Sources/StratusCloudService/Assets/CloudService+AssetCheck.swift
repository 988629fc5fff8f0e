import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// What is wrong with the bytes of an asset that records have.
struct AssetDamage: Sendable {
    let asset: AssetID
    /// Whether the file is gone or too short, rather than changed.
    let isMissing: Bool
    /// For the operator.
    let reason: String
}

/// Threads that read assets to check them, apart from those that answer requests.
private struct AssetReaders: Sendable {
    private let pool = WorkerPool(threads: AssetLimits.checkedAtOnce)

    /// Reads everything; nil if it has this digest.
    func hash(_ content: AssetContent, _ sha256: [UInt8], _ progress: CheckProgress) async -> AssetStoreError? {
        do {
            try await pool.run {
                var proof = AssetProof(content, sha256: sha256)
                while let piece = try proof.next() { progress.addBytes(piece.count) }
            }
            return nil
        } catch {
            return error as? AssetStoreError ?? AssetStoreError(.ioFailure, "\(error)")
        }
    }
}

extension CloudService {
    private static let readers = AssetReaders()

    /// Reads the bytes of all assets that records, and backups of devices, have, and compares them with their digests.
    /// - Throws: `StoreError` with the first asset that is damaged, what the engine throws.
    public func verifyAssets(_ progress: CheckProgress = CheckProgress()) async throws {
        for database in try await store.partitions().sorted(by: { $0.name < $1.name })
        where database.databaseContext != nil || database.holdsDeviceBackups {
            var next: Key? = Keyspace.assetBlobs.lower
            while let from = next {
                let step = try await blobs(from: from, of: database)
                next = step.next
                let damage = try await damages(of: step.blobs, in: database, hashing: true, progress, first: true).first
                guard let damage else { continue }
                throw StoreError(
                    .corrupted, "asset \(damage.asset.fileChecksum) of database \(database.name) \(damage.reason)")
            }
        }
    }

    typealias Blobs = [(asset: AssetID, blob: StoredBlob)]

    /// Some assets in the order of their names, and where to go on.
    func blobs(from: Key, of database: Partition) async throws -> (blobs: Blobs, next: Key?) {
        try await store.read(database) { transaction in
            let range = KeyRange(lower: from, upper: Keyspace.assetBlobs.upper)
            let limit = AssetLimits.checkedPerStep
            let entries = try transaction.entries(in: range, limit: limit)
            let blobs = try entries.compactMap { entry -> (asset: AssetID, blob: StoredBlob)? in
                guard let asset = AssetID(bytes: entry.key.bytes.dropFirst()) else { return nil }
                return (asset, try StoredBlob(stored: entry.value))
            }
            return (blobs, entries.count == limit ? entries.last?.key.next : nil)
        }
    }

    /// What is wrong with the bytes of some assets, in their order. Those that no record has are passed over.
    /// - Parameters:
    ///   - hashing: whether all bytes are read; else only how many they are is looked at.
    ///   - first: whether one finding is enough.
    func damages(
        of blobs: some Collection<(asset: AssetID, blob: StoredBlob)> & Sendable, in database: Partition,
        hashing: Bool, _ progress: CheckProgress, first: Bool = false
    ) async throws -> [AssetDamage] {
        let used = blobs.filter { $0.blob.references > 0 }
        return try await withThrowingTaskGroup(of: (Int, AssetDamage?).self) { group in
            var found: [(Int, AssetDamage)] = []
            for (index, blob) in used.enumerated() {
                if index >= AssetLimits.checkedAtOnce, let (place, damage) = try await group.next(), let damage {
                    found.append((place, damage))
                    if first { break }
                }
                group.addTask {
                    (index, try await self.damage(of: blob.asset, blob.blob, in: database, hashing, progress))
                }
            }
            for try await (place, damage) in group { if let damage { found.append((place, damage)) } }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func damage(
        of asset: AssetID, _ blob: StoredBlob, in database: Partition, _ hashing: Bool, _ progress: CheckProgress
    ) async throws -> AssetDamage? {
        do throws(AssetStoreError) {
            let content = try await assets.content(of: blob.file, of: AssetOwner(database))
            guard content.size == blob.size else {
                return damaged(asset, true, "has \(content.size) bytes, not \(blob.size)", database)
            }
            guard hashing else { return nil }
            let failure = await Self.readers.hash(content, blob.sha256, progress)
            if let failure { throw failure }
            provenAssets.add(blob.file, content.stamp, now: environment.now())
            return nil
        } catch {
            switch error.code {
            case .damaged:
                return damaged(
                    asset, false, "does not match its checksum, in file \(blob.file)", database)
            case .missing:
                // It may have lost its last record meanwhile, and its time be over.
                let now: StoredBlob? = try await store.read(database) { try $0.value(at: Keyspace.assetBlob(asset)) }
                guard let now, now.references > 0, now.file == blob.file else { return nil }
                return damaged(asset, true, "is missing, in file \(blob.file)", database)
            case .diskFull, .ioFailure: throw error
            }
        }
    }

    private func damaged(_ asset: AssetID, _ isMissing: Bool, _ reason: String, _ database: Partition) -> AssetDamage {
        noteDamagedAsset("asset \(asset.fileChecksum) of database \(database.name) \(reason)")
        return AssetDamage(asset: asset, isMissing: isMissing, reason: reason)
    }

    /// Counts and reports an asset whose bytes are not those that were stored.
    public func noteDamagedAsset(_ message: String) {
        damagedReads.increment()
        environment.report(AssetStoreError(.damaged, message))
    }
}
