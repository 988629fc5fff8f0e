import StratusCloudModel
import StratusCloudStore

/// Moves the records of a database from their names to their versions, in transactions of bounded size. A step may be
/// run again: what it has moved it does not find.
struct RecordMove: Sendable {
    /// Records that one transaction moves.
    static let recordsPerStep = 100

    /// Of the database's context; says which index entries the records have.
    let schema: Schema

    /// Moves the next records.
    /// - Parameter lower: where to go on, nil at the beginning.
    /// - Returns: how many were moved, and where to go on; nil at the end.
    func step(from lower: Key?, in transaction: any WriteTransaction) throws -> (moved: Int, next: Key?) {
        var range = KeyRange(prefix: Keyspace.prefix(.record).key)
        if let lower { range.lower = lower }
        let entries = try transaction.entries(in: range, limit: Self.recordsPerStep)
        let former = entries.filter { $0.value.first == FormerRecord.format }
        if !former.isEmpty { try move(former, in: transaction) }
        return (former.count, entries.count == Self.recordsPerStep ? entries.last?.key.next : nil)
    }

    private func move(_ entries: [StoreEntry], in transaction: any WriteTransaction) throws {
        let counted: Usage? = try transaction.value(at: Keyspace.usage)
        var usage = counted ?? Usage()
        var hinted: [StoreEntry] = []
        for entry in entries {
            let (zone, name) = try Self.place(entry.key)
            let former = try FormerRecord(stored: entry.value, recordName: name)
            let record = former.record
            let bytes = record.stored
            transaction.setRecord(record, stored: bytes, in: zone)
            transaction.clear(Keyspace.prefix(.formerChange, zone: zone).key(record.version))
            usage += record.usage(storedSize: bytes.count) + -former.usage
            if let type = schema.recordTypes[record.recordType] {
                hinted += try IndexMaintenance.entries(of: record, in: type, zone: zone)
            }
        }
        // Queries find records by what their index entries have for values from now on. Only entries that are there
        // get one: which there are is not this move's affair.
        for (entry, known) in zip(hinted, try transaction.get(hinted.map(\.key))) where known != nil {
            transaction.set(entry.key, entry.value)
        }
        if counted != nil { transaction.set(Keyspace.usage, usage) }
    }

    private static func place(_ key: Key) throws -> (ZoneNumber, String) {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let zone = decoder.unsigned(), let name = String(validating: decoder.rest(), as: UTF8.self) else {
            throw ByteReader.Malformed()
        }
        return (ZoneNumber(rawValue: zone), name)
    }

    /// Clears what is left of the former feeds: those of deleted zones whose records were cleared already.
    /// - Returns: whether there may be more.
    static func clearStep(in transaction: any WriteTransaction) throws -> Bool {
        let range = KeyRange(prefix: Keyspace.prefix(.formerChange).key)
        let entries = try transaction.entries(in: range, limit: ServiceLimits.clearedEntriesPerStep)
        guard let last = entries.last else { return false }
        transaction.clear(KeyRange(lower: range.lower, upper: last.key.next))
        return entries.count == ServiceLimits.clearedEntriesPerStep
    }
}
