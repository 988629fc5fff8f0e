import StratusCloudModel
import StratusCloudStore

/// Writes records with everything that goes with them: index entries, the database's count of what it holds, and in
/// custom zones the change feed.
struct RecordWriter {
    let zone: ZoneID
    let schema: Schema
    let ledger: UsageLedger
    /// Takes note of what is written, for those who watch.
    let changes: ZoneChanges
    /// Takes note of it for shares; nil where nothing of the zone is shared.
    var shares: ShareLedger?
    /// The public database that the zone is of; nil where it is another's.
    var publicContext: CloudContext?

    /// Writes a draft.
    /// - Parameter record: the draft's, with its version.
    func save(
        _ draft: RecordDraft, as record: StoredRecord, over slot: RecordSlot?, _ replaced: StoredRecord?,
        in number: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {
        changes.note(from: replaced, to: record)
        try shares?.note(record, isNew: replaced == nil)
        if let index = draft.index, replaced == nil {
            IndexMaintenance.add(index, of: record, zone: number, in: transaction)
        } else if let fields = schema.indexedFields(ofType: record.recordType) {
            try IndexMaintenance.update(from: replaced, to: record, fields: fields, zone: number, in: transaction)
        }
        if draft.hasAssets || replaced != nil {
            try AssetUses(transaction, at: record.modified.timestamp)
                .update(record.recordName, in: number, from: replaced?.fields, to: record.fields)
        }
        // A record lies, and stands in the feed, once: at its latest change.
        if let replaced { transaction.clear(Keyspace.version(zone: number, replaced.version)) }
        transaction.setRecord(record, stored: draft.bytes, in: number)
        try ReservedZones.kind(of: zone.zoneName)?.wrote(from: replaced, to: record, in: number, transaction)
        ledger.count(draft.usage, replacing: replaced)
        if !zone.isDefault, case .deleted(let tombstone)? = slot {
            replace(tombstone, by: record, in: number, transaction)
        }
    }

    func delete(
        _ record: StoredRecord, at now: Int64, from header: inout ZoneHeader, in transaction: any WriteTransaction
    ) throws {
        header.version += 1
        ledger.countDeletion(of: record)
        changes.note(from: record, to: nil)
        try shares?.noteDeletion(record, version: header.version)
        if let fields = schema.indexedFields(ofType: record.recordType) {
            try IndexMaintenance.update(from: record, to: nil, fields: fields, zone: header.number, in: transaction)
        }
        try AssetUses(transaction, at: now).update(record.recordName, in: header.number, from: record.fields, to: nil)
        transaction.clear(Keyspace.version(zone: header.number, record.version))
        try ReservedZones.kind(of: zone.zoneName)?.wrote(from: record, to: nil, in: header.number, transaction)
        let key = Keyspace.record(zone: header.number, name: record.recordName)
        guard !zone.isDefault else {
            transaction.clear(key)
            notePublicDeletion(of: record, at: now, in: header, transaction)
            return
        }
        let tombstone = Tombstone(recordType: record.recordType, version: header.version, deleted: now)
        transaction.set(key, NameEntry.deleted(tombstone).stored)
        transaction.set(
            Keyspace.tombstone(zone: header.number, version: header.version),
            TombstoneEntry(recordName: record.recordName, recordType: record.recordType, deleted: now))
    }

    /// The feed of a public database has the deletion, while the name is free at once: names of a public database are
    /// of everybody's choice, and a record that has the name again does not end what is known of the former.
    private func notePublicDeletion(
        of record: StoredRecord, at now: Int64, in header: ZoneHeader, _ transaction: any WriteTransaction
    ) {
        guard let publicContext else { return }
        transaction.set(
            Keyspace.tombstone(zone: header.number, version: header.version),
            TombstoneEntry(
                recordName: record.recordName, recordType: record.recordType, deleted: now,
                creator: ReadAccess.creator(of: record, under: schema, in: publicContext)))
    }

    /// A record that is there again takes the place of its tombstone, unless the type was another.
    private func replace(
        _ tombstone: Tombstone, by record: StoredRecord, in number: ZoneNumber, _ transaction: any WriteTransaction
    ) {
        let key = Keyspace.tombstone(zone: number, version: tombstone.version)
        guard tombstone.recordType != record.recordType else { return transaction.clear(key) }
        transaction.set(
            key,
            TombstoneEntry(
                recordName: record.recordName, recordType: tombstone.recordType, deleted: tombstone.deleted,
                isReplaced: true))
    }
}

/// Keeps a zone's header and its place in the database's list of changed zones.
enum ZoneChange {
    /// Stores the header of a zone whose records a commit changed.
    /// - Parameter version: The zone's version before the commit.
    static func record(
        _ header: inout ZoneHeader, after version: UInt64, in scope: DatabaseScope, named name: String,
        by origin: ChangeOrigin, _ transaction: any WriteTransaction
    ) throws {
        if scope == .public { try PublicFeed.count(&header, after: version, by: origin, in: transaction) }
        try record(&header, named: name, by: origin, in: transaction)
    }

    /// Stores a header that has changed, and for custom zones moves the zone to the end of the list.
    static func record(
        _ header: inout ZoneHeader, named name: String, by origin: ChangeOrigin, in transaction: any WriteTransaction
    ) throws {
        let key = Keyspace.zone(name)
        if name != ZoneID.defaultZoneName {
            var counters = try DatabaseCounters.read(in: transaction)
            if header.changeVersion > 0 { transaction.clear(Keyspace.zoneChange(version: header.changeVersion)) }
            counters.countChange(origin, in: transaction)
            header.changeVersion = counters.changeVersion
            transaction.set(Keyspace.zoneChange(version: counters.changeVersion), Array(name.utf8))
            transaction.set(Keyspace.counters, counters)
        }
        transaction.set(key, header)
    }
}
