import StratusCloudStore

/// The counters of a database.
struct DatabaseCounters: StoredValue, Hashable {
    static let format: UInt8 = 3
    static let readableFormats: ClosedRange<UInt8> = 1...3

    var nextZone = ZoneNumber.firstCustom
    /// Counts changes of zones; the database's change feed follows it.
    var changeVersion: UInt64 = 0
    var customZones: UInt64 = 0
    /// The latest change whose zone tombstone is no longer kept; who knows less of the database must begin anew.
    var purgedVersion: UInt64 = 0
    /// Which history the current state belongs to.
    var history = HistoryMark()

    /// The highest version that a deleted zone had. A zone made later counts on from there, so that a record of a zone made
    /// anew never has the change tag that one of its name had before.
    var deletedVersion: UInt64 = 0

    init() {}

    init(from reader: inout ByteReader) throws {
        nextZone = ZoneNumber(rawValue: try reader.unsigned())
        changeVersion = try reader.unsigned()
        customZones = try reader.unsigned()
        guard !reader.isAtEnd else { return }
        purgedVersion = try reader.unsigned()
        history = try HistoryMark(from: &reader)
        deletedVersion = reader.isAtEnd ? 0 : try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: nextZone.rawValue)
        writer.write(unsigned: changeVersion)
        writer.write(unsigned: customZones)
        writer.write(unsigned: purgedVersion)
        history.write(to: &writer)
        writer.write(unsigned: deletedVersion)
    }

    static func read(in transaction: any ReadTransaction) throws -> DatabaseCounters {
        try transaction.value(at: Keyspace.counters) ?? DatabaseCounters()
    }
}
