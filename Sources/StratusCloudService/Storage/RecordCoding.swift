import StratusCloudModel

/// What the key of a name holds. The first byte is the format; a later version may add formats, never change one.
enum NameEntry: Hashable, Sendable {
    /// The record lies under this version.
    case live(UInt64)
    case deleted(Tombstone)

    private static let tombstoneFormat: UInt8 = 2
    private static let liveFormat: UInt8 = 3

    init(stored bytes: [UInt8]) throws {
        self = try ByteReader.read(bytes) { reader in
            switch try reader.byte() {
            case Self.liveFormat: return .live(try reader.unsigned())
            case Self.tombstoneFormat:
                return .deleted(
                    Tombstone(
                        recordType: try reader.string(), version: try reader.unsigned(), deleted: try reader.signed()))
            default: throw ByteReader.Malformed()
            }
        }
    }

    var stored: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        switch self {
        case .live(let version):
            writer.write(byte: Self.liveFormat)
            writer.write(unsigned: version)
        case .deleted(let tombstone):
            writer.write(byte: Self.tombstoneFormat)
            writer.write(tombstone.recordType)
            writer.write(unsigned: tombstone.version)
            writer.write(signed: tombstone.deleted)
        }
        return writer.bytes
    }

    var version: UInt64? {
        if case .live(let version) = self { version } else { nil }
    }
}

/// The stored form of a record, without the version, which is in its key: so it is the same at every version. The
/// first byte is the format.
extension StoredRecord {
    private static let format: UInt8 = 2

    init(stored bytes: [UInt8], version: UInt64) throws {
        self = try bytes.withUnsafeBytes { memory in
            try Self(stored: memory, version: version) { reader in
                let fields = try FieldMap(from: &reader)
                guard reader.isAtEnd else { throw ByteReader.Malformed() }
                return fields
            }
        }
    }

    /// The fields stay packed: for who looks at few of them, or passes them on.
    init(packing bytes: [UInt8], version: UInt64) throws {
        self = try bytes.withUnsafeBytes { memory in
            try Self(stored: memory, version: version) { reader in
                FieldMap(try StoredFields(endOf: bytes, StoredFieldsView(&reader)))
            }
        }
    }

    private init(
        stored bytes: UnsafeRawBufferPointer, version: UInt64, fields read: (inout ByteReader) throws -> FieldMap
    ) throws {
        var reader = try Self.reader(of: bytes)
        let recordName = try reader.string()
        let recordType = try reader.string()
        let created = try RecordStamp(from: &reader)
        let modified = try reader.optional { try RecordStamp(from: &$0) } ?? created
        let parent = try reader.optional { try Reference(from: &$0) }
        let share = try reader.optional { try Reference(from: &$0) }
        let shortGUID = try reader.optional { try $0.string() }
        self.init(
            recordName: recordName, recordType: recordType, version: version, fields: try read(&reader),
            created: created, modified: modified, parent: parent, share: share, shortGUID: shortGUID)
    }

    /// Reads a stored form from its record name on. The fields come last, so that they can be left as they are.
    static func reader(of bytes: UnsafeRawBufferPointer) throws -> ByteReader {
        var reader = ByteReader(bytes)
        guard try reader.byte() == format else { throw ByteReader.Malformed() }
        return reader
    }

    var stored: [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.format)
        writer.write(recordName)
        writer.write(recordType)
        created.write(to: &writer)
        writer.write(optional: modified == created ? nil : modified) { $1.write(to: &$0) }
        writer.write(optional: parent) { $1.write(to: &$0) }
        writer.write(optional: share) { $1.write(to: &$0) }
        writer.write(optional: shortGUID) { $0.write($1) }
        fields.write(to: &writer)
        return writer.bytes
    }

    /// The bytes that limits and quotas go by: those of the stored form, and both stamps where it holds one, so that a
    /// record's first change needs no room that it did not have.
    func size(storedSize: Int) -> Int { modified == created ? storedSize + created.storedSize : storedSize }

    /// The type in a stored form.
    static func recordType(stored bytes: [UInt8]) throws -> String {
        try bytes.withUnsafeBytes { bytes in
            var reader = try reader(of: bytes)
            try reader.skipSlice()
            return try reader.string()
        }
    }
}

extension RecordStamp {
    fileprivate var storedSize: Int {
        let texts = [userRecordName, deviceID].reduce(0) { size, text in
            size + ByteWriter.length(unsigned: UInt64(text.utf8.count)) + text.utf8.count
        }
        return ByteWriter.length(signed: timestamp) + texts
    }

    init(from reader: inout ByteReader) throws {
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
