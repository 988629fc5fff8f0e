import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// The store's side of a file that comes: like the upload of an asset, so that after a crash the collection finds what is
/// left of it.
struct BackupUpload: Sendable {
    let account: String
    let upload: AssetUploadID
    let file: AssetFileID
    /// Milliseconds since 1970-01-01 UTC.
    let expires: Int64

    /// Notes the file before it is created.
    func begin(announced: Int64, in transaction: any WriteTransaction) throws {
        let stored = StoredUpload(file: file, expires: expires, announced: announced)
        try AccountUploads(account: account, transaction: transaction).set(upload, stored, replacing: nil)
    }

    /// Takes the file, whose bytes are durable, for what the caller stores a reference to.
    /// - Returns: false if equal bytes were there: then the file is to be removed.
    func settle(
        _ asset: AssetID, sha256: [UInt8], size: Int64, _ ledger: BlobLedger
    ) throws -> Bool {
        try end(ledger)
        return try ledger.add(asset, sha256: sha256, size: size, in: file)
    }

    /// Gives up the file. The collection removes it unless somebody does so before.
    func abandon(_ ledger: BlobLedger) throws {
        try end(ledger)
        ledger.discard(file)
    }

    private func end(_ ledger: BlobLedger) throws {
        let key = Keyspace.assetUpload(account: account, upload)
        guard let stored: StoredUpload = try ledger.transaction.value(at: key) else {
            throw CloudError(.tryAgainLater, "the upload took too long; send it again")
        }
        try AccountUploads(account: account, transaction: ledger.transaction).remove(upload, stored)
    }
}
