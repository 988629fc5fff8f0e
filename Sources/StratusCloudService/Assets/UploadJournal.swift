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

    /// - Parameter former: The upload as it is stored; nil for a new one.
    func store(
        _ upload: StoredUpload, replacing former: StoredUpload?, in transaction: any WriteTransaction
    ) throws {
        try AccountUploads(account: ticket.account, transaction: transaction)
            .set(ticket.upload, upload, replacing: former)
    }

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
            // One whose time is over may still be there, until the collection comes.
            let expired: StoredUpload? = try transaction.value(at: ticket.uploadKey)
            let upload = StoredUpload(file: newFile, expires: expires, announced: announced)
            try store(upload, replacing: expired, in: transaction)
            let ledger = BlobLedger(transaction: transaction, now: now)
            if let asset = expired?.asset { try ledger.release(asset) }
            if let file = expired?.file { ledger.discard(file) }
            return newFile
        }
        var upload = known
        if let asset = known.asset { try BlobLedger(transaction: transaction, now: now).release(asset) }
        upload.file = known.asset == nil ? known.file ?? newFile : newFile
        upload.asset = nil
        upload.offset = 0
        upload.announced = announced
        try store(upload, replacing: known, in: transaction)
        return upload.file ?? newFile
    }

    /// So many bytes are durable.
    func advance(to offset: Int64, in file: AssetFileID, _ transaction: any WriteTransaction) throws {
        guard let known = try current(in: transaction), known.file == file, known.asset == nil else {
            throw Self.ended
        }
        var upload = known
        upload.offset = offset
        try store(upload, replacing: known, in: transaction)
    }

    /// All bytes are durable. The upload lives on, without a file of its own, until it is saved or expires.
    /// - Returns: whether the file is in use; if not, equal bytes were there, and the collection removes it.
    func finish(
        _ asset: AssetID, sha256: [UInt8], size: Int64, in file: AssetFileID, _ transaction: any WriteTransaction
    ) throws -> Bool {
        guard let known = try current(in: transaction), known.file == file, known.asset == nil else {
            throw Self.ended
        }
        var upload = known
        let isNew = try BlobLedger(transaction: transaction, now: now).add(asset, sha256: sha256, size: size, in: file)
        upload.asset = asset
        upload.file = nil
        upload.offset = size
        upload.announced = size
        upload.expires = now + limits.uploadLifetime
        try store(upload, replacing: known, in: transaction)
        return isNew
    }

    /// Throws if the account has too much that is not saved.
    func checkPending(adding bytes: Int64, in transaction: any WriteTransaction) throws {
        let pending = try AccountUploads(account: ticket.account, transaction: transaction)
            .pending(within: limits, adding: bytes)
        guard pending.count < limits.pendingUploads else {
            throw CloudError(
                .quotaExceeded,
                "\(pending.count) uploads are not saved in records yet, which is the maximum; save them, or wait until "
                    + "they expire")
        }
        guard pending.bytes + bytes <= limits.pendingBytes else {
            throw CloudError(
                .quotaExceeded,
                "uploads that are not saved in records yet would have \(pending.bytes + bytes) bytes, which is more than the "
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
