import StratusCloudModel
import StratusCloudStore

/// Checks how many records of each author refer to a target with `DELETE_SELF`, which public databases count.
struct AuthorReferrerCheck: Sendable {
    let zone: ZoneNumber
    let place: ConsistencyPlace
    let isSuspect: @Sendable (_ target: String) -> Bool

    /// Targets that one step looks at.
    private static let targetsPerStep = 100

    /// Compares the counts of the next targets, and puts them right if that is wanted.
    /// - Parameter from: The first target; the empty name at the beginning.
    /// - Returns: The findings, and the target to go on from; nil at the end.
    func step(
        from start: String, in transaction: StepTransaction
    ) throws -> (findings: [ConsistencyFinding], next: String?) {
        var (findings, next): ([ConsistencyFinding], String?) = ([], start)
        for _ in 0..<Self.targetsPerStep {
            guard let from = next, let target = try firstTarget(from: from, transaction.reading) else {
                return (findings, nil)
            }
            if isSuspect(target) { findings += try compare(target, transaction) }
            // The least name behind it.
            next = target + "\u{0}"
        }
        return (findings, next)
    }

    /// The first target, from a name on, that has counts or that records refer to.
    private func firstTarget(from start: String, _ transaction: any ReadTransaction) throws -> String? {
        let targets = try [Keyspace.Tag.authorReferrers, .referrer].compactMap { tag -> String? in
            var range = KeyRange(prefix: Keyspace.prefix(tag, zone: zone).key)
            if !start.isEmpty { range.lower = prefix(tag, start).key }
            return try transaction.entries(in: range, limit: 1).first.flatMap { Self.target(of: $0.key) }
        }
        return targets.min(by: ByteOrder.precedes)
    }

    private func prefix(_ tag: Keyspace.Tag, _ target: String) -> TupleEncoder {
        var encoder = Keyspace.prefix(tag, zone: zone)
        encoder.append(string: target)
        return encoder
    }

    private static func target(of key: Key) -> String? {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.unsigned() != nil else { return nil }
        return decoder.string()
    }

    private func compare(_ target: String, _ transaction: StepTransaction) throws -> [ConsistencyFinding] {
        let counted = try counts(of: target, transaction.reading)
        let prefix = prefix(.authorReferrers, target).key
        var stored: [String: UInt64?] = [:]
        for entry in try transaction.reading.entries(in: KeyRange(prefix: prefix), limit: .max) {
            let count = try? ByteReader.read(entry.value) { try $0.unsigned() }
            stored[Keyspace.name(in: entry.key, behind: prefix)] = .some(count)
        }
        let authors = Set(counted.keys).union(stored.keys).sorted()
        return authors.filter { stored[$0, default: 0] != counted[$0, default: 0] }.map { author in
            let key = Keyspace.authorReferrers(zone: zone, target: target, author: author)
            if let count = counted[author] {
                var writer = ByteWriter(capacity: 10)
                writer.write(unsigned: count)
                transaction.writing?.set(key, writer.bytes)
            } else {
                transaction.writing?.clear(key)
            }
            return place.finding(.wrongReferrers, "number of records of '\(author)' that refer to '\(target)'")
        }
    }

    /// Counts the records of each author. One of which the author cannot be read is found by itself.
    private func counts(of target: String, _ transaction: any ReadTransaction) throws -> [String: UInt64] {
        var range = Keyspace.deleteSelfReferrers(zone: zone, target: target)
        let prefix = range.lower
        var counts: [String: UInt64] = [:]
        while true {
            let entries = try transaction.entries(in: range, limit: ServiceLimits.clearedIndexEntriesPerStep)
            let sources = entries.map { Keyspace.name(in: $0.key, behind: prefix) }
            for record in try transaction.readableRecords(sources, in: zone).values {
                counts[record.created.userRecordName, default: 0] += 1
            }
            guard entries.count == ServiceLimits.clearedIndexEntriesPerStep, let last = entries.last else {
                return counts
            }
            range.lower = last.key.next
        }
    }
}
