import StratusCloudStore

/// What one transaction of a check came to.
struct CheckStep: Sendable {
    var findings: [ConsistencyFinding] = []
    /// Rows that were looked at, where somebody asks.
    var count = 0
    /// Where to go on; nil at the end.
    var next: Key?
}

/// The transaction of a step, with its other side where there is something to repair with.
struct StepTransaction {
    let reading: any ReadTransaction
    let writing: (any WriteTransaction)?
}

extension ReadTransaction {
    /// The records of some names, those left out that are not there or cannot be read: these are found by themselves.
    func readableRecords(_ names: some Collection<String>, in zone: ZoneNumber) throws -> [String: StoredRecord] {
        let rows = try get(names.map { Keyspace.record(zone: zone, name: $0) })
        var live: [(name: String, version: UInt64)] = []
        for (name, row) in zip(names, rows) {
            if let version = row.flatMap({ try? NameEntry(stored: $0) })?.version { live.append((name, version)) }
        }
        var records: [String: StoredRecord] = [:]
        for ((name, version), bytes) in zip(live, try get(live.map { Keyspace.version(zone: zone, $0.version) })) {
            records[name] = bytes.flatMap { try? StoredRecord(stored: $0, version: version) }
        }
        return records
    }
}
