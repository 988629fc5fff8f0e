/// How full the databases of a context are, in comparison with their quotas.
///
/// Each database has a quota of its own, so these are the two databases that matter: the public one and the fullest
/// private one.
public struct StorageLevels: Hashable, Sendable {
    /// The usage of the public database.
    public var publicDatabase = Usage()
    /// The greatest usage of a private database, separately for records and for assets.
    public var fullestPrivate = Usage()
    /// The quotas at that time.
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
