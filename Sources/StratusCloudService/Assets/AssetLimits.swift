/// Limits of assets, which an operator may change. The documentation quotes this file.
public struct AssetLimits: Sendable {
    /// Bytes of one asset: 4 GiB.
    public var assetSize: Int64 = 4 << 30
    /// Uploads of one account in one database that are begun or finished, but not saved in a record.
    public var pendingUploads = 1_000
    /// Bytes of these, as announced, together: 64 GiB.
    public var pendingBytes: Int64 = 64 << 30
    /// Milliseconds that an upload can be begun at its address: 15 minutes.
    public var uploadAddressLifetime: Int64 = 15 * 60 * 1_000
    /// Milliseconds from its beginning that an upload can be continued, and from its end that its receipt is good: a
    /// day.
    public var uploadLifetime: Int64 = 24 * 60 * 60 * 1_000
    /// Milliseconds that bytes can be fetched at their address: an hour.
    public var downloadAddressLifetime: Int64 = 60 * 60 * 1_000
    /// Milliseconds that bytes are kept after the last record has let them go: a day, so that a backup which takes the
    /// records first and the bytes after them has both.
    public var graceTime: Int64 = 24 * 60 * 60 * 1_000
    /// Bytes after which an upload that is still going on is made durable, to be continued there after a crash:
    /// 256 MiB.
    public var checkpointInterval: Int64 = 256 * 1_048_576

    /// The defaults.
    public init() {}

    /// Entries that one step of the collection looks at.
    static let collectedPerStep = 100
    /// Databases that one step of the collection takes.
    static let databasesPerStep = 200
    /// Bytes read at a time to check an asset: 256 KiB.
    static let checkedPiece = 262_144
    /// Milliseconds that a file which was found undamaged, and was not written to since, is not hashed again: 10
    /// minutes.
    public static let proofLifetime: Int64 = 10 * 60 * 1_000
    /// Files remembered as undamaged.
    public static let rememberedProofs = 10_000
    /// Assets that a check of all of them hashes at a time.
    static let checkedAtOnce = 2
    /// Assets whose names a check of all of them reads together.
    static let checkedPerStep = 1_000
    /// Databases remembered as having assets, so that the store is not asked again.
    static let rememberedDatabases = 10_000
    /// Characters of an address or a receipt; longer ones are none.
    static let ticketLength = 4_096
}
