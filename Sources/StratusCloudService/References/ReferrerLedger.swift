import StratusCloudStore

/// How many records refer to a target, so that most deletions need not look for them, and the limit needs no counting.
struct ReferrerCount: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Those that are deleted with it.
    var deleteSelf: UInt64 = 0
    /// Those that hold it.
    var holding: UInt64 = 0

    init() {}

    init(from reader: inout ByteReader) throws {
        deleteSelf = try reader.unsigned()
        holding = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: deleteSelf)
        writer.write(unsigned: holding)
    }

    var isZero: Bool { deleteSelf == 0 && holding == 0 }

    fileprivate subscript(kind: ActingReference.Kind) -> UInt64 {
        get { kind.holdsTarget ? holding : deleteSelf }
        set { if kind.holdsTarget { holding = newValue } else { deleteSelf = newValue } }
    }
}

/// Who refers to what, as one transaction finds and changes it.
struct ReferrerLedger {
    let zone: ZoneNumber
    private var counts: [String: ReferrerCount] = [:]
    private var changed: Set<String> = []

    init(zone: ZoneNumber) { self.zone = zone }

    /// The counts of a target that was loaded.
    subscript(target: String) -> ReferrerCount { counts[target] ?? ReferrerCount() }

    /// Reads the counts of targets, all at once; those known already cost nothing.
    mutating func load(_ targets: some Sequence<String>, in transaction: any ReadTransaction) throws {
        let unknown = Array(Set(targets.filter { counts[$0] == nil }))
        guard !unknown.isEmpty else { return }
        let found = try transaction.get(unknown.map { Keyspace.referrerCount(zone: zone, target: $0) })
        for (target, bytes) in zip(unknown, found) {
            counts[target] = try bytes.map { try ReferrerCount(stored: $0) } ?? ReferrerCount()
        }
    }

    /// Writes the entries of a record that is replaced by another version, or by nothing.
    /// - Parameter version: the zone's version that the change made.
    mutating func replace(
        _ before: StoredRecord?, by after: StoredRecord?, version: UInt64, in transaction: any WriteTransaction
    ) throws {
        let old = before?.actingReferences ?? []
        let new = after?.actingReferences ?? []
        guard old != new, let source = (after ?? before)?.recordName else { return }
        let removed = old.subtracting(new)
        let added = new.subtracting(old)
        try load(removed.lazy.map(\.target) + added.lazy.map(\.target), in: transaction)
        for reference in removed {
            transaction.clear(key(of: reference, source))
            let count = self[reference.target][reference.kind]
            counts[reference.target]?[reference.kind] = count - min(count, 1)
            changed.insert(reference.target)
        }
        var writer = ByteWriter(capacity: 10)
        writer.write(unsigned: version)
        for reference in added {
            transaction.set(key(of: reference, source), writer.bytes)
            counts[reference.target]?[reference.kind] += 1
            changed.insert(reference.target)
        }
    }

    /// Writes the counts that changed; the last thing to be done.
    func finish(in transaction: any WriteTransaction) {
        for target in changed {
            let key = Keyspace.referrerCount(zone: zone, target: target)
            let count = self[target]
            if count.isZero { transaction.clear(key) } else { transaction.set(key, count) }
        }
    }

    private func key(of reference: ActingReference, _ source: String) -> Key {
        Keyspace.referrer(zone: zone, target: reference.target, reference.kind, source: source)
    }
}
