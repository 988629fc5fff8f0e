import StratusCloudModel
import StratusCloudStore

/// From the records to what is made of them: names, index entries, referrers, asset uses.
struct RecordCheck: Sendable {
    let schema: Schema
    let zone: ZoneNumber
    /// The kind of the reserved zone; nil for a zone of an app.
    var reserved: (any ReservedZone.Type)?
    let place: ConsistencyPlace
    /// Nil where every reference has an entry.
    let authority: ReferenceAuthority?
    let isSuspect: @Sendable (_ recordName: String) -> Bool

    func step(from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var range = KeyRange(prefix: Keyspace.prefix(.version, zone: zone).key)
        if let from { range.lower = from }
        return try self.step(range, limit: ServiceLimits.indexedRecordsPerStep, in: transaction)
    }

    /// Checks the first records of a range.
    func step(_ range: KeyRange, limit: Int, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        let entries = try transaction.reading.entries(in: range, limit: limit)
        step.count = entries.count
        for entry in entries {
            var decoder = TupleDecoder(entry.key, skipping: 1)
            guard decoder.unsigned() != nil, let version = decoder.unsigned(),
                let record = try? StoredRecord(stored: entry.value, version: version)
            else {
                step.findings.append(place.finding(.unreadableRecord, "version key \(entry.key)"))
                continue
            }
            if isSuspect(record.recordName) { try check(record, transaction, &step) }
        }
        if entries.count == limit { step.next = entries.last?.key.next }
        return step
    }

    /// Looks up what must exist because of a record.
    func check(_ record: StoredRecord, _ transaction: StepTransaction, _ step: inout CheckStep) throws {
        let name = "record '\(record.recordName)'"
        let reading = transaction.reading
        let row = try reading.get(Keyspace.record(zone: zone, name: record.recordName))
        guard row.flatMap({ try? NameEntry(stored: $0) })?.version == record.version else {
            step.findings.append(place.finding(.wrongName, name))
            return
        }
        if let type = schema.recordTypes[record.recordType] {
            let missing = try missingEntries(of: record, type, in: reading)
            if !missing.isEmpty {
                step.findings.append(place.finding(.missingIndexEntry, "\(name): \(missing.count) entries"))
                for entry in missing { transaction.writing?.set(entry.key, entry.value) }
            }
        }
        if let reserved {
            let check = ReservedEntryCheck(kind: reserved, zone: zone, place: place, isSuspect: isSuspect)
            step.findings += try check.missing(of: record, transaction)
        }
        if record.hasReferences {
            let references = Array(record.actingReferences)
            let keys = references.map {
                Keyspace.referrer(zone: zone, target: $0.target, $0.kind, source: record.recordName)
            }
            let missing = try zip(references, zip(keys, try reading.get(keys))).filter { reference, entry in
                try entry.1 == nil && needsEntry(reference, of: record, in: reading)
            }.map(\.1.0)
            if !missing.isEmpty {
                step.findings.append(place.finding(.wrongReferrers, "\(name): \(missing.count) entries"))
                var writer = ByteWriter(capacity: 10)
                writer.write(unsigned: record.version)
                for key in missing { transaction.writing?.set(key, writer.bytes) }
            }
        }
        if record.hasAssets {
            let keys = record.fields.assets.map { Keyspace.assetUse(zone: zone, recordName: record.recordName, $0) }
            if try reading.get(keys).contains(where: { $0 == nil }) {
                step.findings.append(place.finding(.wrongAssetUse, name))
            }
        }
    }

    /// References that do not hold their targets have no entries.
    private func needsEntry(
        _ reference: ActingReference, of record: StoredRecord, in transaction: any ReadTransaction
    ) throws -> Bool {
        guard let authority, reference.kind.holdsTarget else { return true }
        guard let target = try transaction.readableRecords([reference.target], in: zone)[reference.target] else {
            return false
        }
        return authority.mayHold(.init(target), author: record.created.userRecordName)
    }

    /// Entries that queries rely on and that are not there. Those of indexes that are being built may come yet.
    private func missingEntries(
        of record: StoredRecord, _ type: RecordTypeSchema, in transaction: any ReadTransaction
    ) throws -> [StoreEntry] {
        let fields = IndexedFields(type.queryableFields)
        let typeKey = TypeIndex.key(of: record, zone: zone)
        let presence = TypeIndex.presence(of: record, fields: fields)
        // Records of users that have no indexed field are in no index.
        let isInTypeIndex = record.recordType != SystemRecordType.users || !presence.isEmpty
        let all = try IndexMaintenance.entries(of: record, in: type, zone: zone)
        let needed = Set(try IndexMaintenance.contents(of: record, fields: fields, zone: zone).keys)
        let wanted = all.filter { $0.key == typeKey ? isInTypeIndex : needed.contains($0.key) }
        return try zip(wanted, try transaction.get(wanted.map(\.key))).filter { entry, found in
            guard let found else { return true }
            guard entry.key == typeKey else { return false }
            return try fields.all.contains { field in
                let number = field.index.number.rawValue
                guard field.isOptional, field.content(of: record) != nil else { return false }
                return try !TypeIndex.has([number], in: found)
            }
        }.map(\.0)
    }
}

/// From the names to the records.
struct NameCheck: Sendable {
    let zone: ZoneNumber
    let place: ConsistencyPlace
    let isSuspect: @Sendable (_ recordName: String) -> Bool

    func step(from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        let prefix = Keyspace.prefix(.record, zone: zone).key
        var range = KeyRange(prefix: prefix)
        if let from { range.lower = from }
        let limit = ServiceLimits.indexedRecordsPerStep
        let entries = try transaction.reading.entries(in: range, limit: limit)
        let names = entries.map { try? NameEntry(stored: $0.value) }
        let versions = names.map { $0?.version }
        let found = try transaction.reading.get(
            zip(entries, versions).map { entry, version in
                let isWanted = isSuspect(Keyspace.name(in: entry.key, behind: prefix))
                return Keyspace.version(zone: zone, isWanted ? version ?? .max : .max)
            })
        for index in entries.indices {
            let name = Keyspace.name(in: entries[index].key, behind: prefix)
            guard isSuspect(name) else { continue }
            guard names[index] != nil else {
                step.findings.append(place.finding(.wrongName, "record name '\(name)'"))
                continue
            }
            // Of a deleted record only the tombstone is left.
            guard let version = versions[index] else { continue }
            let record = found[index].flatMap { try? StoredRecord(stored: $0, version: version) }
            // One that is there and cannot be read was found already.
            if found[index] == nil || record.map({ $0.recordName != name }) == true {
                step.findings.append(place.finding(.wrongName, "record name '\(name)'"))
            }
        }
        if entries.count == limit { step.next = entries.last?.key.next }
        return step
    }
}
