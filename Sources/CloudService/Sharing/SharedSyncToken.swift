import CloudModel
import CloudStore

/// How much a participant knows of a zone: a position in the feed of each share of it that they saw.
struct SharedSyncToken: Hashable, Sendable {
    private static let format: UInt8 = 2
    /// Without ``begun``: of clients that were given one before there was.
    private static let formerFormat: UInt8 = 1

    var zone: ZoneNumber
    /// The share of the whole zone; its feed is the zone's.
    var whole: ShareNumber?
    /// Ordered by share.
    var positions: [ShareNumber: FeedPosition]
    /// Shares that the participant sees no more, with the versions up to which their going was told.
    var endings: [ShareNumber: UInt64] = [:]
    /// Of shares whose feeds are told in part.
    var begun: [ShareNumber: Beginning] = [:]
    var history: HistoryMark
    var change: UInt64

    /// Where telling a feed began that takes several pages.
    struct Beginning: Hashable, Sendable {
        /// All changes up to this version were known.
        var known: UInt64
        /// The zone's version then: what had left until then was told on no page as being there.
        var top: UInt64
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
        writer.write(list: begun.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(unsigned: entry.key.rawValue)
            writer.write(unsigned: entry.value.known)
            writer.write(unsigned: entry.value.top)
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
            for _ in 0..<(try reader.unsigned()) {
                begun[ShareNumber(rawValue: try reader.unsigned())] = Beginning(
                    known: try reader.unsigned(), top: try reader.unsigned())
            }
        }
        history = try HistoryMark(from: &reader)
        change = try reader.unsigned()
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }

    /// Whether who is at a position of a share's feed may have heard of a record that was in the share from one version to
    /// another: it came before what they know, and was not gone before the first page that told more than they knew.
    func mayKnow(_ share: ShareNumber, since joined: UInt64, until left: UInt64, at position: FeedPosition) -> Bool {
        guard joined <= position.walk?.top ?? position.known else { return false }
        return begun[share].map { joined <= $0.known || left > $0.top } ?? true
    }

    /// A token of one participant is nothing in the hands of another.
    private static func binding(_ address: DatabaseAddress) -> [UInt8] {
        [3] + Array("\(address.participant ?? "")\n\(address.partition.name)".utf8)
    }
}
