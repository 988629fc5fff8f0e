/// What of a zone is shared; read with the zone's header, so that zones of which nothing is cost nothing.
struct ZoneSharing: Hashable, Sendable {
    /// Live shares of hierarchies.
    var hierarchies: UInt64 = 0
    /// The live share of the whole zone.
    var whole: ShareNumber?
    /// Shares that the zone ever had.
    var latest: UInt64 = 0

    init() {}

    /// Whether anything is shared now.
    var isAnything: Bool { hierarchies > 0 || whole != nil }

    /// A number for a new share.
    mutating func next() -> ShareNumber {
        latest += 1
        return ShareNumber(rawValue: latest)
    }

    init(from reader: inout ByteReader) throws {
        hierarchies = try reader.unsigned()
        let whole = try reader.unsigned()
        self.whole = whole == 0 ? nil : ShareNumber(rawValue: whole)
        latest = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: hierarchies)
        writer.write(unsigned: whole?.rawValue ?? 0)
        writer.write(unsigned: latest)
    }
}
