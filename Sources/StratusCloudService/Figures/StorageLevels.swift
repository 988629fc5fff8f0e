/// How full the databases of a context are beside what they may hold.
///
/// Quotas bind each database by itself, so the sum of all says nothing of them: these are the two that come nearest.
public struct StorageLevels: Hashable, Sendable {
    /// What the public database holds.
    public var publicDatabase = Usage()
    /// The most that a private database holds, of records and of assets each for itself.
    public var fullestPrivate = Usage()
    /// What databases might hold then.
    public var quotas = Quotas()

    /// Empty databases without quotas.
    public init() {}
}

extension StorageLevels {
    init(from reader: inout ByteReader) throws {
        publicDatabase = try Usage(from: &reader)
        fullestPrivate = try Usage(from: &reader)
        quotas = Quotas(
            publicRecords: try reader.optional { try $0.signed() },
            publicAssets: try reader.optional { try $0.signed() },
            privateRecords: try reader.optional { try $0.signed() },
            privateAssets: try reader.optional { try $0.signed() })
    }

    func write(to writer: inout ByteWriter) {
        publicDatabase.write(to: &writer)
        fullestPrivate.write(to: &writer)
        for quota in [quotas.publicRecords, quotas.publicAssets, quotas.privateRecords, quotas.privateAssets] {
            writer.write(optional: quota) { $0.write(signed: $1) }
        }
    }
}
