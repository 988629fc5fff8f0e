import StratusCloudModel
import StratusCloudStore

/// From the entries of indexes to the records.
struct IndexEntryCheck: Sendable {
    let schema: Schema
    let zone: ZoneNumber
    let place: ConsistencyPlace
    private let layouts: [UInt64: [Keyspace.Tag: IndexEntry.Layout]]
    private let dropped: Set<IndexNumber>

    init(schema: Schema, zone: ZoneNumber, place: ConsistencyPlace) {
        self.schema = schema
        self.zone = zone
        self.place = place
        dropped = Set(schema.droppedIndexes)
        var layouts: [UInt64: [Keyspace.Tag: IndexEntry.Layout]] = [0: [.index: .type]]
        for field in schema.recordTypes.values.lazy.flatMap(\.indexedFields) where !field.isRecordName {
            layouts[field.index.number.rawValue] = [
                .index: field.type.isList ? .member(field.type.scalar) : .value(field.type.scalar),
                .token: .token, .cell: .cell,
            ]
        }
        self.layouts = layouts
    }

    func step(_ tag: Keyspace.Tag, from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        var range = KeyRange(prefix: Keyspace.prefix(tag, zone: zone).key)
        if let from { range.lower = from }
        let limit = ServiceLimits.clearedIndexEntriesPerStep
        let entries = try transaction.reading.entries(in: range, limit: limit)
        step.count = entries.count
        let names = entries.map { name(of: $0, tag) }
        var keys: [String: Set<Key>] = [:]
        let wanted = Array(Set(names.compactMap { $0 })).sorted()
        for (name, record) in try transaction.reading.readableRecords(wanted, in: zone) {
            var own: Set<Key> = [TypeIndex.key(of: record, zone: zone)]
            if let fields = schema.indexedFields(ofType: record.recordType) {
                own.formUnion(try IndexMaintenance.contents(of: record, fields: fields, zone: zone).keys)
            }
            keys[name] = own
        }
        for (entry, name) in zip(entries, names) {
            if isBeingCleared(entry.key) { continue }
            if let name, keys[name]?.contains(entry.key) == true { continue }
            let text = name.map { "of record '\($0)'" } ?? "with key \(entry.key)"
            step.findings.append(place.finding(.staleIndexEntry, "entry \(text)"))
            transaction.writing?.clear(entry.key)
        }
        if entries.count == limit { step.next = entries.last?.key.next }
        return step
    }

    private func number(of key: Key) -> UInt64? {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.unsigned() != nil else { return nil }
        return decoder.unsigned()
    }

    /// Entries of former indexes go by themselves.
    private func isBeingCleared(_ key: Key) -> Bool {
        number(of: key).map { dropped.contains(IndexNumber(rawValue: $0)) } ?? false
    }

    private func name(of entry: StoreEntry, _ tag: Keyspace.Tag) -> String? {
        guard let number = number(of: entry.key), let layout = layouts[number]?[tag] else { return nil }
        return IndexEntry(entry, layout)?.recordName
    }
}
