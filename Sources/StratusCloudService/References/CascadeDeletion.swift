import StratusCloudModel
import StratusCloudStore

/// Thrown when a deletion takes along more than one transaction should delete, and the caller made no provision for
/// what remains.
struct CascadeIsLarge: Error {}

/// Deletes what a ``Cascade`` found.
struct CascadeDeletion {
    let writer: RecordWriter
    let now: Int64
    let work: CascadeWork

    /// - Returns: the targets of which holders remain.
    func delete(
        _ cascade: Cascade, from header: inout ZoneHeader, _ ledger: inout ReferrerLedger,
        in transaction: any WriteTransaction
    ) throws -> Set<String> {
        var pending = cascade.pending
        var rest = cascade.victims[...]
        var size = 0
        while !rest.isEmpty, size < work.bytesPerStep {
            let names = rest.prefix(work.recordsPerFetch).map(\.name)
            rest = rest.dropFirst(names.count)
            for case let row? in try transaction.recordRows(names, in: header.number) {
                size += row.bytes.count
                let record = try row.record()
                try writer.delete(record, at: now, from: &header, in: transaction)
                try ledger.replace(record, by: nil, version: header.version, in: transaction)
            }
        }
        // One that remains is found again through the nearest target that is gone.
        let remaining = Set(rest.lazy.map(\.name))
        for victim in rest where !remaining.contains(victim.target) { pending.insert(victim.target) }
        return pending
    }

    /// Queues targets whose holders remain.
    func queue(_ pending: Set<String>, of header: ZoneHeader, in transaction: any WriteTransaction) {
        let queued = QueuedCascade(version: header.version).stored
        for target in pending { transaction.set(Keyspace.cascade(zone: header.number, target: target), queued) }
    }
}
