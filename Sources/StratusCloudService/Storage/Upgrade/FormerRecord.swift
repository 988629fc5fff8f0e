import StratusCloudModel

/// The stored form of a record when it lay under its name, with its version among its bytes.
struct FormerRecord {
    /// Which form of a name's value it is; tombstones are as they were.
    static let format: UInt8 = 1

    let record: StoredRecord
    private let size: Int

    init(stored bytes: [UInt8], recordName: String) throws {
        record = try ByteReader.read(bytes) { reader in
            guard try reader.byte() == Self.format else { throw ByteReader.Malformed() }
            return StoredRecord(
                recordName: recordName, recordType: try reader.string(), version: try reader.unsigned(),
                fields: try FieldMap(from: &reader), created: try RecordStamp(from: &reader),
                modified: try RecordStamp(from: &reader), parent: try reader.optional { try Reference(from: &$0) },
                share: try reader.optional { try Reference(from: &$0) },
                shortGUID: try reader.optional { try $0.string() })
        }
        size = bytes.count
    }

    /// What the record was counted with.
    var usage: Usage {
        record.usage(
            size: record.recordName.utf8.count + size - ByteWriter.length(unsigned: record.version))
    }
}
