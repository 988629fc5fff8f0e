import StratusCloudModel
import StratusCloudStore

/// A record as it was read.
struct RecordRow: Sendable {
    let version: UInt64
    let bytes: [UInt8]

    func record() throws -> StoredRecord { try StoredRecord(stored: bytes, version: version) }

    /// The record, its fields packed.
    func packingRecord() throws -> StoredRecord { try StoredRecord(packing: bytes, version: version) }

    /// The record as answers show it, its fields packed.
    func packedRecord(in zoneID: ZoneID) throws -> Record {
        try bytes.withUnsafeBytes { try StoredRecordView(stored: $0, version: version, zoneID: zoneID).record() }
    }
}

extension ReadTransaction {
    /// What stands under some names; nil where nothing does.
    func nameEntries(_ names: [String], in zone: ZoneNumber) throws -> [NameEntry?] {
        try get(names.map { Keyspace.record(zone: zone, name: $0) }).map { try $0.map(NameEntry.init(stored:)) }
    }

    /// The live records of some names, in two reads however many they are; nil where there is none.
    func recordRows(_ names: [String], in zone: ZoneNumber) throws -> [RecordRow?] {
        try recordRows(of: nameEntries(names, in: zone), in: zone)
    }

    /// The live records that names stand for.
    func recordRows(of entries: [NameEntry?], in zone: ZoneNumber) throws -> [RecordRow?] {
        let versions = entries.compactMap { $0?.version }
        guard !versions.isEmpty else { return Array(repeating: nil, count: entries.count) }
        var found = try get(versions.map { Keyspace.version(zone: zone, $0) }).makeIterator()
        return try entries.map { entry in
            guard let version = entry?.version else { return nil }
            guard let bytes = found.next() ?? nil else { throw ByteReader.Malformed() }
            return RecordRow(version: version, bytes: bytes)
        }
    }

    /// The live record of a name.
    func record(named name: String, in zone: ZoneNumber) throws -> StoredRecord? {
        try recordRows([name], in: zone)[0]?.record()
    }

    /// What stands under some names, with the records themselves.
    func recordSlots(_ names: [String], in zone: ZoneNumber) throws -> [RecordSlot?] {
        let entries = try nameEntries(names, in: zone)
        guard entries.contains(where: { $0 != nil }) else { return Array(repeating: nil, count: entries.count) }
        return try zip(entries, recordRows(of: entries, in: zone)).map { entry, row in
            if case .deleted(let tombstone)? = entry { return .deleted(tombstone) }
            return try row.map { .live(try $0.record()) }
        }
    }
}

extension WriteTransaction {
    /// Puts a record under its version, and that under its name.
    /// - Parameter bytes: its stored form.
    func setRecord(_ record: StoredRecord, stored bytes: [UInt8], in zone: ZoneNumber) {
        set(Keyspace.version(zone: zone, record.version), bytes)
        set(Keyspace.record(zone: zone, name: record.recordName), NameEntry.live(record.version).stored)
    }
}
