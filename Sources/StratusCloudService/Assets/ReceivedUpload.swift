import StratusCloudAssets
import StratusCloudStore
import StratusWorkers

/// An upload whose bytes are all durable and checked. It becomes an asset in a transaction: one of its own, or the one
/// that saves the record that the bytes are for.
final class ReceivedUpload: Sendable {
    private let journal: UploadJournal
    private let sha256: [UInt8]
    let size: Int64
    let file: AssetFileID
    /// The state of the file with these bytes.
    let stamp: AssetStamp?
    /// Whether equal bytes were stored already, so that the file is not needed; by the transaction that ran last.
    private let isUnneeded = Lock(false)

    init(journal: UploadJournal, sha256: [UInt8], size: Int64, file: AssetFileID, stamp: AssetStamp?) {
        self.journal = journal
        self.sha256 = sha256
        self.size = size
        self.file = file
        self.stamp = stamp
    }

    var asset: AssetID { AssetID(sha256: sha256) }
    var ticket: AssetUploadTicket { journal.ticket }

    /// Whether the file is of no use after the commit.
    var leavesFile: Bool { isUnneeded.withLock { $0 } }

    /// Finishes the upload. A transaction that is repeated repeats this, too.
    func finish(in transaction: any WriteTransaction) throws {
        let isNew = try journal.finish(asset, sha256: sha256, size: size, in: file, transaction)
        isUnneeded.withLock { $0 = !isNew }
    }
}

extension CloudService {
    /// Does what follows the commit that finished an upload.
    func finished(_ upload: ReceivedUpload) async {
        guard upload.leavesFile else {
            // The bytes that were hashed are those that the file got, and it is unchanged since.
            provenAssets.add(upload.file, upload.stamp, now: environment.now())
            return
        }
        await removeUnneeded(upload.file, of: upload.ticket.partition)
    }

    /// Gives up an upload that nobody else can continue, so that it does not count to those of its account.
    func abandon(_ ticket: AssetUploadTicket) async {
        let now = environment.now()
        do {
            let file = try await store.write(ticket.partition) { transaction -> AssetFileID? in
                guard let upload: StoredUpload = try transaction.value(at: ticket.uploadKey) else { return nil }
                try BlobLedger(transaction: transaction, now: now).drop(ticket.upload, upload, of: ticket.account)
                return upload.file
            }
            if let file { await removeUnneeded(file, of: ticket.partition) }
        } catch {
            environment.report(error)
        }
    }

    /// Removes a file that is marked for the collection, because its room is wanted now.
    private func removeUnneeded(_ file: AssetFileID, of partition: Partition) async {
        do {
            try await assets.remove([file], of: AssetOwner(partition))
        } catch {
            environment.report(error)
        }
    }
}
