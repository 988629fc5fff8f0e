import StratusCloudModel
import StratusCloudStore

/// How much a participant knows of a zone: a position in the feed of each share of it that they saw.
struct SharedSyncToken: Hashable, Sendable {
    private static let format: UInt8 = 2
    /// Without ``beginning``; clients have tokens that were given before there was one.
    private static let formerFormat: UInt8 = 1

    var zone: ZoneNumber
    /// The share of the whole zone; its feed is the zone's.
    var whole: ShareNumber?
    /// Ordered by share.
    var positions: [ShareNumber: FeedPosition]
    /// Shares that the participant sees no more, with the versions up to which their going was told.
    var endings: [ShareNumber: UInt64] = [:]
    /// What was known before the first of several pages; nil when all is told.
    var beginning: Beginning?
    var history: HistoryMark
    var change: UInt64

    /// Where telling begins what happened since the last time.
    struct Beginning: Hashable, Sendable {
        /// The zone's version then.
        var top: UInt64
        /// The versions up to which it was known what left each share.
        var known: [ShareNumber: UInt64]
    }

    init(zone: ZoneNumber, whole: ShareNumber?, positions: [ShareNumber: FeedPosition], _ counters: DatabaseCounters) {
        self.zone = zone
        self.whole = whole
        self.positions = positions
        history = counters.history
        change = counters.changeVersion
    }

    /// Of who knows all that a participant sees.
    init(knowing view: ZoneView, _ counters: DatabaseCounters) {
        let known = FeedPosition(known: view.header.version)
        let access = view.access
        self.init(
            zone: view.number, whole: access?.whole, positions: access?.grants.mapValues { _ in known } ?? [:], counters
        )
    }

    /// Notes where telling begins, unless it began with an earlier page.
    /// - Parameter top: the zone's version.
    mutating func begin(at top: UInt64) {
        guard beginning == nil else { return }
        beginning = Beginning(top: top, known: positions.mapValues { max($0.known, $0.start) })
    }

    func text(for address: DatabaseAddress, _ seals: Seals) -> String {
        var writer = ByteWriter(capacity: 64)
        writer.write(byte: Self.format)
        writer.write(unsigned: zone.rawValue)
        writer.write(unsigned: whole?.rawValue ?? 0)
        writer.write(list: positions.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(unsigned: entry.key.rawValue)
            entry.value.write(to: &writer)
        }
        writer.write(list: endings.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(unsigned: entry.key.rawValue)
            writer.write(unsigned: entry.value)
        }
        writer.write(optional: beginning) { writer, beginning in
            writer.write(unsigned: beginning.top)
            writer.write(list: beginning.known.sorted { $0.key < $1.key }) { writer, entry in
                writer.write(unsigned: entry.key.rawValue)
                writer.write(unsigned: entry.value)
            }
        }
        history.write(to: &writer)
        writer.write(unsigned: change)
        return Base64.string(seals.seal(writer.bytes, for: .syncToken, boundTo: Self.binding(address)))
    }

    /// - Throws: ``SyncToken/unknown`` for everything that ``text(for:_:)`` did not make for this participant and owner.
    init(_ text: String, for address: DatabaseAddress, _ seals: Seals) throws(CloudError) {
        guard text.utf8.count <= ServiceLimits.sharedSyncTokenLength, let sealed = Base64.decode(text),
            let payload = seals.open(sealed, for: .syncToken, boundTo: Self.binding(address)),
            let token = try? ByteReader.read(payload, SharedSyncToken.init(from:))
        else { throw SyncToken.unknown }
        self = token
    }

    private init(from reader: inout ByteReader) throws {
        let format = try reader.byte()
        guard format == Self.format || format == Self.formerFormat else { throw ByteReader.Malformed() }
        zone = ZoneNumber(rawValue: try reader.unsigned())
        let whole = try reader.unsigned()
        self.whole = whole == 0 ? nil : ShareNumber(rawValue: whole)
        positions = [:]
        for _ in 0..<(try reader.unsigned()) {
            positions[ShareNumber(rawValue: try reader.unsigned())] = try FeedPosition(from: &reader)
        }
        for _ in 0..<(try reader.unsigned()) {
            endings[ShareNumber(rawValue: try reader.unsigned())] = try reader.unsigned()
        }
        if format == Self.format {
            beginning = try reader.optional { reader in
                var beginning = Beginning(top: try reader.unsigned(), known: [:])
                for _ in 0..<(try reader.unsigned()) {
                    beginning.known[ShareNumber(rawValue: try reader.unsigned())] = try reader.unsigned()
                }
                return beginning
            }
        }
        history = try HistoryMark(from: &reader)
        change = try reader.unsigned()
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }

    /// A token of one participant is nothing in the hands of another.
    private static func binding(_ address: DatabaseAddress) -> [UInt8] {
        [3] + Array("\(address.participant ?? "")\n\(address.partition.name)".utf8)
    }
}
