import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// The number and announced bytes of an account's uploads in one database that are begun or finished, but not saved.
///
/// The store keeps the sum, because counting the rows would step over the deletion markers of all uploads that were
/// saved lately.
struct PendingUploads: StoredValue, Hashable {
    static let format: UInt8 = 1

    var count: Int64 = 0
    var bytes: Int64 = 0

    init() {}

    init(from reader: inout ByteReader) throws {
        count = try reader.signed()
        bytes = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: count)
        writer.write(signed: bytes)
    }

    func isWithin(_ limits: AssetLimits, adding bytes: Int64) -> Bool {
        count < limits.pendingUploads && self.bytes + bytes <= limits.pendingBytes
    }
}

/// The uploads of an account, in the transaction that changes them. Nothing else writes their rows.
struct AccountUploads {
    let account: String
    let transaction: any WriteTransaction

    /// Stores an upload.
    /// - Parameter former: The upload as it is stored; nil for a new one.
    func set(_ id: AssetUploadID, _ upload: StoredUpload, replacing former: StoredUpload?) throws {
        if let former, former.expires != upload.expires { transaction.clear(due(id, former)) }
        transaction.set(Keyspace.assetUpload(account: account, id), upload)
        transaction.set(due(id, upload), [])
        try add(former == nil ? 1 : 0, upload.announced - (former?.announced ?? 0))
    }

    /// Removes a stored upload.
    func remove(_ id: AssetUploadID, _ upload: StoredUpload) throws {
        transaction.clear(Keyspace.assetUpload(account: account, id))
        transaction.clear(due(id, upload))
        try add(-1, -upload.announced)
    }

    /// The sum of all uploads. One that leaves no room is counted again before anybody is refused for it.
    func pending(within limits: AssetLimits, adding bytes: Int64) throws -> PendingUploads {
        let key = Keyspace.pendingUploads(of: account)
        let stored: PendingUploads? = try transaction.value(at: key)
        if let stored, stored.isWithin(limits, adding: bytes) { return stored }
        let counted = try count()
        if counted != stored { transaction.set(key, counted) }
        return counted
    }

    private func count() throws -> PendingUploads {
        var sum = PendingUploads()
        for entry in try transaction.entries(in: Keyspace.assetUploads(of: account), limit: .max) {
            sum.count += 1
            sum.bytes += try StoredUpload(stored: entry.value).announced
        }
        return sum
    }

    /// Changes the sum, if there is one: data of earlier versions has none until somebody begins an upload.
    private func add(_ count: Int64, _ bytes: Int64) throws {
        let key = Keyspace.pendingUploads(of: account)
        guard count != 0 || bytes != 0, var sum: PendingUploads = try transaction.value(at: key) else { return }
        sum.count += count
        sum.bytes += bytes
        transaction.set(key, sum)
    }

    private func due(_ id: AssetUploadID, _ upload: StoredUpload) -> Key {
        Keyspace.assetDue(upload.expires, .upload(account: account, id))
    }
}
