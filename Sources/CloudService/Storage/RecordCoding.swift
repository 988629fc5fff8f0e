import CloudModel

/// The stored form of a record slot. The first byte is the format; a later version may add formats, never change one.
extension RecordSlot {
    private static let liveFormat: UInt8 = 1
    private static let tombstoneFormat: UInt8 = 2

    init(stored bytes: [UInt8], recordName: String) throws {
        var reader = ByteReader(bytes)
        switch try reader.byte() {
        case Self.liveFormat:
            self = .live(try StoredRecord(from: &reader, recordName: recordName))
        case Self.tombstoneFormat:
            self = .deleted(
                Tombstone(
                    recordType: try reader.string(), version: try reader.unsigned(), deleted: try reader.signed()))
        default: throw ByteReader.Malformed()
        }
    }

    var stored: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .live(let record):
            writer.write(byte: Self.liveFormat)
            record.write(to: &writer)
        case .deleted(let tombstone):
            writer.write(byte: Self.tombstoneFormat)
            writer.write(tombstone.recordType)
            writer.write(unsigned: tombstone.version)
            writer.write(signed: tombstone.deleted)
        }
        return writer.bytes
    }
}

extension StoredRecord {
    fileprivate init(from reader: inout ByteReader, recordName: String) throws {
        self.init(
            recordName: recordName, recordType: try reader.string(), version: try reader.unsigned(),
            fields: try FieldMap(from: &reader), created: try RecordStamp(from: &reader),
            modified: try RecordStamp(from: &reader), parent: try reader.optional { try Reference(from: &$0) },
            share: try reader.optional { try Reference(from: &$0) }, shortGUID: try reader.optional { try $0.string() })
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(recordType)
        writer.write(unsigned: version)
        fields.write(to: &writer)
        created.write(to: &writer)
        modified.write(to: &writer)
        writer.write(optional: parent) { $1.write(to: &$0) }
        writer.write(optional: share) { $1.write(to: &$0) }
        writer.write(optional: shortGUID) { $0.write($1) }
    }
}

extension RecordStamp {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(
            timestamp: try reader.signed(), userRecordName: try reader.string(), deviceID: try reader.string())
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(signed: timestamp)
        writer.write(userRecordName)
        writer.write(deviceID)
    }
}

extension FieldMap {
    init(from reader: inout ByteReader) throws {
        let count = try reader.unsigned()
        self.init(capacity: Int(Swift.min(count, 1_024)))
        for _ in 0..<count { append(try reader.string(), try Field(from: &reader)) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: UInt64(count))
        for entry in self {
            writer.write(entry.name)
            entry.field.write(to: &writer)
        }
    }
}
