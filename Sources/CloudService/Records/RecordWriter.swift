import CloudModel
import CloudStore

/// Writes records with everything that goes with them: index entries, and in custom zones the change feed.
struct RecordWriter {
    let zone: ZoneID
    let schema: Schema
    /// Takes note of what is written, for those who watch.
    let changes: ZoneChanges

    func save(
        _ record: StoredRecord, over slot: RecordSlot?, _ replaced: StoredRecord?, in number: ZoneNumber,
        _ transaction: any WriteTransaction
    ) throws(CloudError) {
        changes.note(from: replaced, to: record)
        if let type = schema.recordTypes[record.recordType] {
            try IndexMaintenance.update(from: replaced, to: record, type: type, zone: number, in: transaction)
        }
        transaction.set(Keyspace.record(zone: number, name: record.recordName), RecordSlot.live(record).stored)
        if !zone.isDefault {
            clearChange(slot, in: number, transaction)
            transaction.set(Keyspace.change(zone: number, version: record.version), Array(record.recordName.utf8))
        }
    }

    func delete(
        _ record: StoredRecord, at now: Int64, from header: inout ZoneHeader, in transaction: any WriteTransaction
    ) throws(CloudError) {
        header.version += 1
        changes.note(from: record, to: nil)
        if let type = schema.recordTypes[record.recordType] {
            try IndexMaintenance.update(from: record, to: nil, type: type, zone: header.number, in: transaction)
        }
        let key = Keyspace.record(zone: header.number, name: record.recordName)
        guard !zone.isDefault else {
            transaction.clear(key)
            return
        }
        clearChange(.live(record), in: header.number, transaction)
        let tombstone = Tombstone(recordType: record.recordType, version: header.version, deleted: now)
        transaction.set(key, RecordSlot.deleted(tombstone).stored)
        transaction.set(
            Keyspace.change(zone: header.number, version: header.version), Array(record.recordName.utf8))
    }

    /// A record stands in the feed once, at its latest change.
    private func clearChange(_ slot: RecordSlot?, in number: ZoneNumber, _ transaction: any WriteTransaction) {
        switch slot {
        case .live(let record)?: transaction.clear(Keyspace.change(zone: number, version: record.version))
        case .deleted(let tombstone)?: transaction.clear(Keyspace.change(zone: number, version: tombstone.version))
        case nil: break
        }
    }
}

/// Keeps a zone's header and its place in the database's list of changed zones.
enum ZoneChange {
    /// Stores a header that has changed, and for custom zones moves the zone to the end of the list.
    static func record(
        _ header: inout ZoneHeader, named name: String, in transaction: any WriteTransaction
    ) throws {
        let key = Keyspace.zone(name)
        if name != ZoneID.defaultZoneName {
            var counters = try DatabaseCounters.read(in: transaction)
            if header.changeVersion > 0 { transaction.clear(Keyspace.zoneChange(version: header.changeVersion)) }
            counters.changeVersion += 1
            header.changeVersion = counters.changeVersion
            transaction.set(Keyspace.zoneChange(version: counters.changeVersion), Array(name.utf8))
            transaction.set(Keyspace.counters, counters)
        }
        transaction.set(key, header)
    }
}
