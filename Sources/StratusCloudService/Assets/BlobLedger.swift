import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// Counts who has which bytes, in the transaction that changes it. Nothing else changes the counts.
struct BlobLedger {
    let transaction: any WriteTransaction
    /// Milliseconds since 1970-01-01 UTC.
    let now: Int64

    func blob(_ asset: AssetID) throws -> StoredBlob? { try transaction.value(at: Keyspace.assetBlob(asset)) }

    /// One more has these bytes, which are there.
    func retain(_ asset: AssetID) throws {
        guard var blob = try blob(asset) else { throw MissingBlob(asset: asset) }
        retain(asset, &blob)
    }

    private func retain(_ asset: AssetID, _ blob: inout StoredBlob) {
        if blob.references == 0 { transaction.clear(Keyspace.assetDue(blob.unusedSince, .blob(asset))) }
        blob.references += 1
        transaction.set(Keyspace.assetBlob(asset), blob)
    }

    /// One less has these bytes; after the last they are unused.
    func release(_ asset: AssetID) throws {
        guard var blob = try blob(asset) else { throw MissingBlob(asset: asset) }
        guard blob.references > 0 else { throw MissingBlob(asset: asset) }
        blob.references -= 1
        if blob.references == 0 {
            blob.unusedSince = now
            transaction.set(Keyspace.assetDue(now, .blob(asset)), [])
        }
        transaction.set(Keyspace.assetBlob(asset), blob)
    }

    /// Bytes have come: takes their file, or gives it up if there are equal ones. Either way one more has them.
    /// - Returns: whether the file was taken.
    func add(_ asset: AssetID, sha256: [UInt8], size: Int64, in file: AssetFileID) throws -> Bool {
        guard var known = try blob(asset) else {
            let blob = StoredBlob(file: file, size: size, sha256: sha256, references: 1)
            transaction.set(Keyspace.assetBlob(asset), blob)
            return true
        }
        guard known.sha256 == sha256, known.size == size else {
            throw CloudError(.internalError, "other bytes with the same checksum are stored")
        }
        retain(asset, &known)
        discard(file)
        return false
    }

    /// Gives up all uploads of an account that were not saved.
    func dropUploads(of account: String) throws {
        for entry in try transaction.entries(in: Keyspace.assetUploads(of: account), limit: .max) {
            let upload = try StoredUpload(stored: entry.value)
            guard let id = AssetUploadID(bytes: entry.key.bytes.suffix(AssetUploadID.length)) else { continue }
            try drop(id, upload, of: account)
        }
        transaction.clear(Keyspace.pendingUploads(of: account))
    }

    /// Gives up an upload of an account that was not saved.
    func drop(_ id: AssetUploadID, _ upload: StoredUpload, of account: String) throws {
        try AccountUploads(account: account, transaction: transaction).remove(id, upload)
        if let asset = upload.asset { try release(asset) }
        if let file = upload.file { discard(file) }
    }

    /// A file that nothing names any more is removed at the next collection.
    func discard(_ file: AssetFileID) { transaction.set(Keyspace.assetDue(0, .file(file)), []) }

    /// Counts and files contradict each other: a bug, or a damaged store.
    struct MissingBlob: Error, CustomStringConvertible {
        let asset: AssetID
        var description: String { "the asset \(asset.fileChecksum) is counted, but missing" }
    }
}
