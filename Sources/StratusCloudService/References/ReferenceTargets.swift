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

    /// How many records may refer to one target with `DELETE_SELF`.
    let deleteSelfSources: Int

    var zone: ZoneNumber { view.number }
    var authority: ReferenceAuthority? { ReferenceAuthority(scope, schema, caller.context) }

    /// What is found of targets.
    struct Findings {
        /// Those of which there is no record that the caller can read.
        var missing: Set<String> = []
        /// The others, in public databases.
        var known: [String: ReferenceAuthority.Target] = [:]
    }

    /// Looks for targets. What one cannot read is missing, so that nobody can probe for it.
    /// The operator's imports bring holders before their targets; to them nothing is missing.
    func look(for targets: [String], in transaction: any ReadTransaction) throws -> Findings {
        var findings = Findings()
        guard !caller.isAdministrator else { return findings }
        let names = Array(Set(targets))
        guard scope == .public else {
            guard !names.isEmpty else { return findings }
            let entries = try transaction.nameEntries(names, in: zone)
            let visible = try view.isVisible(names, in: transaction)
            findings.missing = Set(
                names.indices.filter { entries[$0]?.version == nil || !visible[$0] }.map { names[$0] })
            return findings
        }
        for start in stride(from: 0, to: names.count, by: Self.recordsPerRead) {
            let chunk = Array(names[start..<min(start + Self.recordsPerRead, names.count)])
            for (name, row) in zip(chunk, try transaction.recordRows(chunk, in: zone)) {
                if let record = try row?.record(), canRead(record) {
                    findings.known[name] = ReferenceAuthority.Target(record)
                } else {
                    findings.missing.insert(name)
                }
            }
        }
        return findings
    }

    private func canRead(_ record: StoredRecord) -> Bool {
        Authorization.permits(
            .read, in: scope, record.recordType, of: schema, creator: record.created.userRecordName, caller)
    }
}
