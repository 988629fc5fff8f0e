import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// The store's side of one upload: what is written before the first byte, on the way, and at the end. Each is one
/// transaction, so that after a crash every file is either an upload's, a blob's, or marked for removal.
struct UploadJournal: Sendable {
    let ticket: AssetUploadTicket
    /// Milliseconds since 1970-01-01 UTC.
    let now: Int64
    let limits: AssetLimits

    /// The upload as it is; nil if there is none, or its time is over.
    func current(in transaction: any ReadTransaction) throws -> StoredUpload? {
        guard let upload: StoredUpload = try transaction.value(at: ticket.uploadKey), upload.expires > now else {
            return nil
        }
        return upload
    }

    func store(_ upload: StoredUpload, in transaction: any WriteTransaction) {
        transaction.set(ticket.uploadKey, upload)
        transaction.set(Keyspace.assetDue(upload.expires, due), [])
    }

    private var due: AssetDue { .upload(account: ticket.account, ticket.upload) }

    /// Begins an upload, or goes on with it. A finished one begins again with a file of its own, since the client has
    /// not got the answer.
    /// - Parameters:
    ///   - announced: bytes of the whole asset.
    ///   - newFile: for an upload that has no file to write to.
    func begin(
        at offset: Int64, announced: Int64, newFile: AssetFileID, in transaction: any WriteTransaction
    ) throws -> AssetFileID {
        let known = try current(in: transaction)
        if offset > 0 {
            guard let known, known.asset == nil, let file = known.file, known.offset == offset else {
                throw Self.wrongOffset(known)
            }
            return file
        }
        guard let known else {
            guard ticket.expires > now else {
                throw CloudError(.accessDenied, "the upload address has expired; ask for a new one")
            }
            try checkPending(adding: announced, in: transaction)
            let expires = now + limits.uploadLifetime
            store(StoredUpload(file: newFile, expires: expires, announced: announced), in: transaction)
            return newFile
        }
        var upload = known
        if let asset = known.asset { try BlobLedger(transaction: transaction, now: now).release(asset) }
        upload.file = known.asset == nil ? known.file ?? newFile : newFile
        upload.asset = nil
        upload.offset = 0
        upload.announced = announced
        store(upload, in: transaction)
        return upload.file ?? newFile
    }

    /// So many bytes are durable.
    func advance(to offset: Int64, in file: AssetFileID, _ transaction: any WriteTransaction) throws {
        guard var upload = try current(in: transaction), upload.file == file, upload.asset == nil else {
            throw Self.ended
        }
        upload.offset = offset
        store(upload, in: transaction)
    }

    /// All bytes are durable. The upload lives on, without a file of its own, until it is saved or expires.
    /// - Returns: whether the file is in use; if not, equal bytes were there, and the collection removes it.
    func finish(
        _ asset: AssetID, sha256: [UInt8], size: Int64, in file: AssetFileID, _ transaction: any WriteTransaction
    ) throws -> Bool {
        guard var upload = try current(in: transaction), upload.file == file, upload.asset == nil else {
            throw Self.ended
        }
        let isNew = try BlobLedger(transaction: transaction, now: now).add(asset, sha256: sha256, size: size, in: file)
        transaction.clear(Keyspace.assetDue(upload.expires, due))
        upload.asset = asset
        upload.file = nil
        upload.offset = size
        upload.announced = size
        upload.expires = now + limits.uploadLifetime
        store(upload, in: transaction)
        return isNew
    }

    /// Throws if the account has too much that is not saved.
    func checkPending(adding bytes: Int64, in transaction: any ReadTransaction) throws {
        let pending = try transaction.entries(
            in: Keyspace.assetUploads(of: ticket.account), limit: limits.pendingUploads)
        guard pending.count < limits.pendingUploads else {
            throw CloudError(
                .quotaExceeded,
                "\(pending.count) uploads are not saved in records yet, which is the maximum; save them, or wait until "
                    + "they expire")
        }
        let size = try pending.reduce(Int64(0)) { try $0 + StoredUpload(stored: $1.value).announced }
        guard size + bytes <= limits.pendingBytes else {
            throw CloudError(
                .quotaExceeded,
                "uploads that are not saved in records yet would have \(size + bytes) bytes, which is more than the "
                    + "maximum of \(limits.pendingBytes)")
        }
    }

    /// The upload expired while its bytes came, or another server removed it.
    static let ended = CloudError(.accessDenied, "the upload has expired; ask for a new address")

    private static func wrongOffset(_ upload: StoredUpload?) -> CloudError {
        guard let upload else { return CloudError(.notFound, "there is no upload to continue at this address") }
        if upload.asset != nil { return CloudError(.conflict, "the upload is complete") }
        return CloudError(.conflict, "the upload continues at byte \(upload.offset)")
    }
}
