import StratusCloudModel
import StratusCloudStore

/// What the store keeps of a zone.
struct ZoneHeader: StoredValue, Hashable {
    static let format: UInt8 = 3
    static let readableFormats: ClosedRange<UInt8> = 1...3

    var number: ZoneNumber
    /// Counts the changes of the zone's records; change tags and sync tokens are made of it.
    var version: UInt64 = 0
    /// The place of the zone in the database's list of changed zones; 0 before the first.
    var changeVersion: UInt64 = 0
    /// The latest change whose tombstone is no longer kept; who knows less of the zone must begin anew.
    var purgedVersion: UInt64 = 0
    /// What of the zone is shared.
    var sharing = ZoneSharing()

    init(number: ZoneNumber) { self.number = number }

    init(from reader: inout ByteReader) throws {
        number = ZoneNumber(rawValue: try reader.unsigned())
        version = try reader.unsigned()
        changeVersion = try reader.unsigned()
        purgedVersion = reader.isAtEnd ? 0 : try reader.unsigned()
        if !reader.isAtEnd { sharing = try ZoneSharing(from: &reader) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number.rawValue)
        writer.write(unsigned: version)
        writer.write(unsigned: changeVersion)
        writer.write(unsigned: purgedVersion)
        sharing.write(to: &writer)
    }

    /// The default zone's header; the zone exists before anything was written to it.
    static func `default`(in transaction: any ReadTransaction) throws -> ZoneHeader {
        try transaction.value(at: Keyspace.zone(ZoneID.defaultZoneName)) ?? ZoneHeader(number: .default)
    }

    /// The header that the store holds for a zone, or that the default zone has before anything was written to it.
    static func named(_ zoneName: String, stored: [UInt8]?) throws -> ZoneHeader? {
        if let stored { return try ZoneHeader(stored: stored) }
        return zoneName == ZoneID.defaultZoneName ? ZoneHeader(number: .default) : nil
    }

    /// The header of any zone; nil if there is none of that name.
    static func find(_ zoneName: String, in transaction: any ReadTransaction) throws -> ZoneHeader? {
        zoneName == ZoneID.defaultZoneName
            ? try `default`(in: transaction) : try transaction.value(at: Keyspace.zone(zoneName))
    }
}
