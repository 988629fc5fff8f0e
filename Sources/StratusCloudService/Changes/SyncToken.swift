import StratusCloudModel
import StratusCloudStore

/// How much of a feed a client knows, and in which history of the database it learned it.
struct SyncToken: Hashable, Sendable {
    /// What a token is about; one of either kind is nothing to the other.
    enum Kind: UInt8 {
        case zone = 1
        case database = 2
        /// The records of a public database.
        case publicRecords = 3
    }

    private static let format: UInt8 = 1
    /// Stands in tokens of databases.
    static let noZone = ZoneNumber(rawValue: 0)

    /// A zone that is made again has another number.
    var zone: ZoneNumber
    var position: FeedPosition
    /// The history, and the database's change version in it, of the state in which the token was given.
    var history: HistoryMark
    var change: UInt64
    /// See ``ReadAccess/fingerprint``; 0 in tokens of feeds whose clients may read all of them.
    var access: UInt64 = 0

    init(zone: ZoneNumber, position: FeedPosition, _ counters: DatabaseCounters) {
        self.zone = zone
        self.position = position
        history = counters.history
        change = counters.changeVersion
    }

    /// The token of who knows all of a zone.
    init(zone header: ZoneHeader, _ counters: DatabaseCounters) {
        self.init(zone: header.number, position: FeedPosition(known: header.version), counters)
    }

    /// Opaque text, sealed for its database.
    func text(for kind: Kind, in partition: Partition, _ seals: Seals) -> String {
        var writer = ByteWriter(capacity: 40)
        writer.write(byte: Self.format)
        writer.write(unsigned: zone.rawValue)
        position.write(to: &writer)
        history.write(to: &writer)
        writer.write(unsigned: change)
        if access != 0 { writer.write(unsigned: access) }
        return Base64.string(seals.seal(writer.bytes, for: .syncToken, boundTo: Self.binding(kind, partition)))
    }

    /// Reads a token.
    /// - Throws: `badRequest` for everything that ``text(for:in:_:)`` did not make for the same kind and database.
    init(_ text: String, for kind: Kind, in partition: Partition, _ seals: Seals) throws(CloudError) {
        guard text.utf8.count <= ServiceLimits.syncTokenLength, let sealed = Base64.decode(text),
            let payload = seals.open(sealed, for: .syncToken, boundTo: Self.binding(kind, partition)),
            let token = try? ByteReader.read(payload, SyncToken.init(from:))
        else { throw Self.unknown }
        self = token
    }

    private init(from reader: inout ByteReader) throws {
        guard try reader.byte() == Self.format else { throw ByteReader.Malformed() }
        zone = ZoneNumber(rawValue: try reader.unsigned())
        position = try FeedPosition(from: &reader)
        history = try HistoryMark(from: &reader)
        change = try reader.unsigned()
        if !reader.isAtEnd { access = try reader.unsigned() }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }

    private static func binding(_ kind: Kind, _ partition: Partition) -> [UInt8] {
        [kind.rawValue] + Array(partition.name.utf8)
    }

    // MARK: - What cannot be continued

    /// The text is no token of this zone or database.
    static let unknown = CloudError(
        .badRequest, "Unknown sync continuation type: the syncToken was issued for another feed; start without one",
        extensionCode: .changeTokenExpired)

    /// It was one, but what happened since is no longer known.
    static let expired = CloudError(
        .badRequest,
        "the syncToken has expired: client knowledge differs from server knowledge; start without one",
        extensionCode: .changeTokenExpired)

    /// It is one of a caller who could read something else.
    static let accessChanged = CloudError(
        .badRequest,
        "the syncToken has expired: what you may read has changed since; start without one",
        extensionCode: .changeTokenExpired)

    /// Whether the feed can go on from here.
    /// - Parameters:
    ///   - top: the feed's latest version.
    ///   - purged: the latest version whose tombstone is gone.
    func check(
        _ counters: DatabaseCounters, top: UInt64, purged: UInt64, in transaction: any ReadTransaction
    ) throws {
        guard position.isWithin(top), position.toleratesPurge(of: purged),
            try counters.includes(history, at: change, in: transaction)
        else { throw Self.expired }
    }
}
