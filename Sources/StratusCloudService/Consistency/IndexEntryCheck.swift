import StratusCloudModel
import StratusCloudStore

/// From the entries of indexes to the records.
struct IndexEntryCheck: Sendable {
    let schema: Schema
    let zone: ZoneNumber
    let place: ConsistencyPlace
    let layouts: IndexLayouts
    let isSuspect: @Sendable (_ recordName: String) -> Bool

    /// - Parameter whole: entries of one kind of index.
    func step(_ tag: Keyspace.Tag, _ whole: KeyRange, from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        var range = whole
        if let from { range.lower = from }
        let limit = ServiceLimits.clearedIndexEntriesPerStep
        let entries = try transaction.reading.entries(in: range, limit: limit)
        step.findings = try findings(entries, tag, in: transaction)
        if entries.count == limit { step.next = entries.last?.key.next }
        return step
    }

    /// Looks up the records of some entries of one kind of index.
    func findings(
        _ entries: [StoreEntry], _ tag: Keyspace.Tag, in transaction: StepTransaction
    ) throws -> [ConsistencyFinding] {
        var findings: [ConsistencyFinding] = []
        let names = entries.map { name(of: $0, tag) }
        var keys: [String: Set<Key>] = [:]
        let wanted = Array(Set(names.compactMap { $0 }.filter(isSuspect))).sorted()
        for (name, record) in try transaction.reading.readableRecords(wanted, in: zone) {
            var own: Set<Key> = [TypeIndex.key(of: record, zone: zone)]
            if let fields = schema.indexedFields(ofType: record.recordType) {
                own.formUnion(try IndexMaintenance.contents(of: record, fields: fields, zone: zone).keys)
            }
            keys[name] = own
        }
        for (entry, name) in zip(entries, names) {
            if isBeingCleared(entry.key) { continue }
            if let name, !isSuspect(name) { continue }
            if let name, keys[name]?.contains(entry.key) == true { continue }
            let text = name.map { "of record '\($0)'" } ?? "with key \(entry.key)"
            findings.append(place.finding(.staleIndexEntry, "entry \(text)"))
            transaction.writing?.clear(entry.key)
        }
        return findings
    }

    private func number(of key: Key) -> UInt64? {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.unsigned() != nil else { return nil }
        return decoder.unsigned()
    }

    /// Entries of former indexes go by themselves.
    private func isBeingCleared(_ key: Key) -> Bool {
        number(of: key).map(layouts.dropped.contains) ?? false
    }

    private func name(of entry: StoreEntry, _ tag: Keyspace.Tag) -> String? {
        guard let number = number(of: entry.key), let layout = layouts[number, tag] else { return nil }
        return IndexEntry(entry, layout)?.recordName
    }
}
