import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Data as versions before the present one stored them: records under their names, feeds of names, index entries
/// without values.
enum FormerData {
    /// What lay under a record's name.
    static func bytes(of record: StoredRecord) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: 1)
        writer.write(record.recordType)
        writer.write(unsigned: record.version)
        record.fields.write(to: &writer)
        for stamp in [record.created, record.modified] {
            writer.write(signed: stamp.timestamp)
            writer.write(stamp.userRecordName)
            writer.write(stamp.deviceID)
        }
        writer.write(optional: record.parent) { $1.write(to: &$0) }
        writer.write(optional: record.share) { $1.write(to: &$0) }
        writer.write(optional: record.shortGUID) { $0.write($1) }
        return writer.bytes
    }

    private static func place(_ key: Key) throws -> (ZoneNumber, UInt64) {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let zone = decoder.unsigned(), let version = decoder.unsigned() else { throw ByteReader.Malformed() }
        return (ZoneNumber(rawValue: zone), version)
    }

    /// The rows of a database, given those that it has now.
    static func rows(from rows: [Key: [UInt8]]) throws -> [Key: [UInt8]] {
        var former = rows
        var usage = try rows[Keyspace.usage].map { try Usage(stored: $0) }
        for (key, value) in rows {
            switch Keyspace.Tag(rawValue: key.bytes[0]) {
            case .version:
                let (zone, version) = try place(key)
                let record = try StoredRecord(stored: value, version: version)
                let bytes = bytes(of: record)
                former[key] = nil
                former[Keyspace.record(zone: zone, name: record.recordName)] = bytes
                if zone != .default {
                    let change = Keyspace.prefix(.formerChange, zone: zone).key(record.version)
                    former[change] = Array(record.recordName.utf8)
                }
                let counted = try FormerRecord(stored: bytes, recordName: record.recordName).usage
                usage = usage.map { $0 + -record.usage + counted }
            case .index:
                former[key] = Array(value.prefix { $0 != 0 })
                // Only the index of types, number 0, tells of fields.
                var decoder = TupleDecoder(key, skipping: 1)
                _ = decoder.unsigned()
                if decoder.unsigned() != 0 { former[key] = [] }
            case .token, .cell: former[key] = []
            default: break
            }
        }
        if let usage { former[Keyspace.usage] = usage.stored }
        return former
    }

    /// The rows of a database as they are now, with every index entry as if it had been written with its record's
    /// latest save.
    static func hinted(_ rows: [Key: [UInt8]], _ schema: Schema) throws -> [Key: [UInt8]] {
        var hinted = rows
        for (key, value) in rows where key.bytes[0] == Keyspace.Tag.version.rawValue {
            let (zone, version) = try place(key)
            let record = try StoredRecord(stored: value, version: version)
            guard let type = schema.recordTypes[record.recordType] else { continue }
            for entry in try IndexMaintenance.entries(of: record, in: type, zone: zone) {
                // Users' records, which the system makes, are in no index.
                #expect((rows[entry.key] != nil) == (record.recordType != SystemRecordType.users))
                if rows[entry.key] != nil { hinted[entry.key] = entry.value }
            }
        }
        return hinted
    }
}
