import StratusCloudModel
import StratusCloudStore

/// Checks the entries that a reserved zone keeps of its records, such as the names of files.
struct ReservedEntryCheck: Sendable {
    let kind: any ReservedZone.Type
    let zone: ZoneNumber
    let place: ConsistencyPlace
    let isSuspect: @Sendable (_ recordName: String) -> Bool

    /// Finds entries that must exist because of a record, and writes them if that is wanted.
    func missing(of record: StoredRecord, _ transaction: StepTransaction) throws -> [ConsistencyFinding] {
        let entries = try kind.entries(of: record, in: zone)
        var findings: [ConsistencyFinding] = []
        for (entry, found) in zip(entries, try transaction.reading.get(entries.map(\.key))) where found != entry.value {
            var place = place
            // An entry has room for one record. If another one has the right to it, nobody can tell which is meant.
            if let found, try isRight(StoreEntry(key: entry.key, value: found), transaction) { place.repairs = false }
            if place.repairs { transaction.writing?.set(entry.key, entry.value) }
            findings.append(place.finding(.missingIndexEntry, "record '\(record.recordName)': \(Self.text(entry.key))"))
        }
        return findings
    }

    /// Finds entries that no record has, and clears them if that is wanted.
    func step(_ tag: Keyspace.Tag, from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        var range = KeyRange(prefix: Keyspace.prefix(tag, zone: zone).key)
        if let from { range.lower = from }
        let limit = ServiceLimits.clearedIndexEntriesPerStep
        let entries = try transaction.reading.entries(in: range, limit: limit)
        step.findings = try stale(entries, tag, transaction)
        if entries.count == limit { step.next = entries.last?.key.next }
        return step
    }

    /// Finds those of some entries that no record has.
    func stale(
        _ entries: [StoreEntry], _ tag: Keyspace.Tag, _ transaction: StepTransaction
    ) throws -> [ConsistencyFinding] {
        let names = entries.map { kind.recordName(of: tag, $0.key, $0.value) }
        let wanted = Array(Set(names.compactMap { $0 }.filter(isSuspect))).sorted()
        let own = try transaction.reading.readableRecords(wanted, in: zone).mapValues {
            Set(try kind.entries(of: $0, in: zone).map(\.key))
        }
        var findings: [ConsistencyFinding] = []
        for (entry, name) in zip(entries, names) {
            if let name, !isSuspect(name) || own[name]?.contains(entry.key) == true { continue }
            let text = name.map { "entry of record '\($0)'" } ?? "entry"
            findings.append(place.finding(.staleIndexEntry, "\(text): \(Self.text(entry.key))"))
            transaction.writing?.clear(entry.key)
        }
        return findings
    }

    private func isRight(_ entry: StoreEntry, _ transaction: StepTransaction) throws -> Bool {
        guard let tag = entry.key.bytes.first.flatMap(Keyspace.Tag.init),
            let name = kind.recordName(of: tag, entry.key, entry.value),
            let record = try transaction.reading.readableRecords([name], in: zone)[name]
        else { return false }
        return try kind.entries(of: record, in: zone).contains { $0.key == entry.key && $0.value == entry.value }
    }

    private static func text(_ key: Key) -> String { "key \(key)" }
}
