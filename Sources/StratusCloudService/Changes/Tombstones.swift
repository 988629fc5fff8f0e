import StratusCloudModel
import StratusCloudStore

/// What a zone's feed tells of a deleted record.
struct TombstoneEntry: StoredValue, Hashable {
    static let format: UInt8 = 1

    var recordName: String
    var recordType: String
    /// Milliseconds since 1970-01-01 UTC, for the retention time.
    var deleted: Int64
    /// Whether a record of the same name, but of another type, was made since. Then only who wants the old type, and not
    /// the new one, must be told.
    var isReplaced: Bool
    /// Who created the record, in public databases; see ``ReadAccess/creator(of:under:in:)``. Readers of before leave it
    /// out, so that the format is the same.
    var creator: UInt64?

    init(
        recordName: String, recordType: String, deleted: Int64, isReplaced: Bool = false, creator: UInt64? = nil
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.deleted = deleted
        self.isReplaced = isReplaced
        self.creator = creator
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            recordName: try reader.string(), recordType: try reader.string(), deleted: try reader.signed(),
            isReplaced: try reader.byte() != 0, creator: reader.isAtEnd ? nil : try reader.unsigned())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(recordName)
        writer.write(recordType)
        writer.write(signed: deleted)
        writer.write(byte: isReplaced ? 1 : 0)
        if let creator { writer.write(unsigned: creator) }
    }
}

/// What a database's feed tells of a deleted zone.
struct ZoneTombstone: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    var zoneName: String
    /// Milliseconds since 1970-01-01 UTC, for the retention time.
    var deleted: Int64
    /// Why the zone is gone.
    var reason: ZoneDeletionReason

    init(zoneName: String, deleted: Int64, reason: ZoneDeletionReason = .deleted) {
        self.zoneName = zoneName
        self.deleted = deleted
        self.reason = reason
    }

    init(from reader: inout ByteReader) throws {
        self.init(zoneName: try reader.string(), deleted: try reader.signed())
        guard !reader.isAtEnd else { return }
        guard let reason = ZoneDeletionReason(stored: try reader.byte()) else { throw ByteReader.Malformed() }
        self.reason = reason
    }

    func write(to writer: inout ByteWriter) {
        writer.write(zoneName)
        writer.write(signed: deleted)
        writer.write(byte: reason.stored)
    }

    /// Puts a zone among the deleted ones.
    static func set(
        _ name: String, _ reason: ZoneDeletionReason, _ counters: DatabaseCounters, at now: Int64,
        in transaction: any WriteTransaction
    ) {
        transaction.set(
            Keyspace.zoneTombstone(version: counters.changeVersion),
            ZoneTombstone(zoneName: name, deleted: now, reason: reason))
        transaction.set(Keyspace.deletedName(name), version(counters.changeVersion))
    }

    /// Takes a name from the deleted ones, since it is in use again.
    static func clear(_ name: String, in transaction: any WriteTransaction) throws {
        guard let version = try version(of: name, in: transaction) else { return }
        transaction.clear(Keyspace.zoneTombstone(version: version))
        transaction.clear(Keyspace.deletedName(name))
    }

    /// Why there is no zone of a name, as far as is still known.
    static func reason(of name: String, in transaction: any ReadTransaction) throws -> ZoneDeletionReason? {
        guard let version = try version(of: name, in: transaction) else { return nil }
        let tombstone: ZoneTombstone? = try transaction.value(at: Keyspace.zoneTombstone(version: version))
        return tombstone?.reason
    }

    /// The version under which a name stands among the deleted ones.
    static func version(of name: String, in transaction: any ReadTransaction) throws -> UInt64? {
        guard let bytes = try transaction.get(Keyspace.deletedName(name)) else { return nil }
        return try ByteReader.read(bytes) { try $0.unsigned() }
    }

    private static func version(_ version: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 10)
        writer.write(unsigned: version)
        return writer.bytes
    }
}

extension ZoneDeletionReason {
    // Stored; never renumber them.
    fileprivate var stored: UInt8 {
        switch self {
        case .deleted: 0
        case .purged: 1
        case .encryptedDataReset: 2
        }
    }

    fileprivate init?(stored: UInt8) {
        guard let reason = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = reason
    }
}
