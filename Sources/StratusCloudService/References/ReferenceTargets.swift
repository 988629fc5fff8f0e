import StratusCloudModel
import StratusCloudStore

/// Looks whether the targets of references are there.
struct ReferenceTargets {
    /// Records read at once, to bound the memory for large ones.
    private static let recordsPerRead = 50

    let view: ZoneView
    let scope: DatabaseScope
    let caller: Caller
    let schema: Schema

    var zone: ZoneNumber { view.number }

    /// The names of which there is no record that the caller can read: what one cannot read one cannot probe for.
    /// The operator's imports bring holders before their targets; to them nothing is missing.
    func missing(_ targets: [String], in transaction: any ReadTransaction) throws -> Set<String> {
        guard !caller.isAdministrator else { return [] }
        let names = Array(Set(targets))
        guard scope == .public else {
            guard !names.isEmpty else { return [] }
            let entries = try transaction.nameEntries(names, in: zone)
            let visible = try view.isVisible(names, in: transaction)
            return Set(names.indices.filter { entries[$0]?.version == nil || !visible[$0] }.map { names[$0] })
        }
        var missing: Set<String> = []
        for start in stride(from: 0, to: names.count, by: Self.recordsPerRead) {
            let chunk = Array(names[start..<min(start + Self.recordsPerRead, names.count)])
            for (name, row) in zip(chunk, try transaction.recordRows(chunk, in: zone)) {
                if try !(row.map { canRead(try $0.record()) } ?? false) { missing.insert(name) }
            }
        }
        return missing
    }

    private func canRead(_ record: StoredRecord) -> Bool {
        Authorization.permits(
            .read, in: scope, record.recordType, of: schema, creator: record.created.userRecordName, caller)
    }
}
