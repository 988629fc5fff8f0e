import StratusCloudModel
import StratusCloudStore

/// That a record left the share of a hierarchy, kept under its name as long as the share's feed tells of it: a record can
/// leave several shares, and one several times, of which a participant is to hear once.
struct ShareDeparture: StoredValue, Hashable {
    static let format: UInt8 = 1

    var share: ShareNumber
    var recordType: String
    /// See ``ShareFeedEntry/joined``.
    var joined: UInt64
    /// The zone's version when it left; stands in the key.
    var version: UInt64 = 0

    init(_ entry: ShareFeedEntry, from share: ShareNumber) {
        self.share = share
        recordType = entry.recordType
        joined = entry.joined
    }

    init(from reader: inout ByteReader) throws {
        share = ShareNumber(rawValue: try reader.unsigned())
        recordType = try reader.string()
        joined = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: share.rawValue)
        writer.write(recordType)
        writer.write(unsigned: joined)
    }
}

extension Keyspace {
    static func shareDeparture(zone: ZoneNumber, of name: String, _ version: UInt64) -> Key {
        departures(zone: zone, of: name).key(version)
    }

    fileprivate static func departures(zone: ZoneNumber, of name: String) -> TupleEncoder {
        var encoder = prefix(.shareDeparture, zone: zone)
        encoder.append(string: name)
        return encoder
    }
}

extension ReadTransaction {
    /// When a record left shares between two versions of the zone, the earliest first, and no more of them than
    /// ``ShareLimits/departuresPerRecord``.
    func shareDepartures(
        of name: String, in zone: ZoneNumber, after known: UInt64, before version: UInt64
    ) throws -> [ShareDeparture] {
        guard known < version else { return [] }
        let departures = Keyspace.departures(zone: zone, of: name)
        let range = KeyRange(lower: departures.key(known).next, upper: departures.key(version))
        return try entries(in: range, limit: ShareLimits.departuresPerRecord).map { entry in
            var departure = try ShareDeparture(stored: entry.value)
            var decoder = TupleDecoder(entry.key, skipping: departures.key.bytes.count)
            guard let version = decoder.unsigned() else { throw ByteReader.Malformed() }
            departure.version = version
            return departure
        }
    }
}
