import StratusCloudModel

/// What a database's quota left for one asset when the address to send its bytes to was made. Whether it fits is decided
/// when a record is saved with it; this refuses bytes that cannot, before they are sent.
struct AssetRoom: Hashable, Sendable {
    let database: DatabaseScope
    /// Bytes; what the record that the asset is for would let go is free for it.
    let bytes: Int64

    init(database: DatabaseScope, bytes: Int64) {
        self.database = database
        self.bytes = bytes
    }

    /// The room under `quota`; nil if there is none.
    init?(_ quota: Quota, used usage: Usage, replacing record: StoredRecord?) {
        guard let limit = quota.assets else { return nil }
        database = quota.database
        let freed = record?.usage.assetBytes ?? 0
        bytes = max(0, limit &- usage.assetBytes &+ freed)
    }

    /// Throws `quotaExceeded` if an asset of this size has no room.
    func check(_ size: Int64) throws(CloudError) {
        guard size <= bytes else {
            throw CloudError(
                .quotaExceeded,
                "the asset has \(size) bytes, but the \(database.rawValue) database's quota leaves room for \(bytes); "
                    + "delete something, and ask for a new address")
        }
    }
}

extension AssetRoom {
    init(from reader: inout ByteReader) throws {
        guard let database = DatabaseScope(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.init(database: database, bytes: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(database.rawValue)
        writer.write(signed: bytes)
    }
}
