import StratusCloudModel
import StratusCloudStore

/// From what targets know of those that refer to them to the records that do, and how many they are.
struct ReferrerCheck: Sendable {
    let zone: ZoneNumber
    let place: ConsistencyPlace
    let isSuspect: @Sendable (_ recordName: String) -> Bool

    private struct Entry {
        let target: String
        let kind: ActingReference.Kind
        let source: String

        init?(_ key: Key) {
            var decoder = TupleDecoder(key, skipping: 1)
            guard decoder.unsigned() != nil, let target = decoder.string(),
                let kind = decoder.byte().flatMap(ActingReference.Kind.init)
            else { return nil }
            self.target = target
            self.kind = kind
            source = String(decoding: decoder.rest(), as: UTF8.self)
        }
    }

    private var range: KeyRange { KeyRange(prefix: Keyspace.prefix(.referrer, zone: zone).key) }
    private var countRange: KeyRange { KeyRange(prefix: Keyspace.prefix(.referrerCount, zone: zone).key) }

    func step(from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        var rest = range
        if let from { rest.lower = from }
        let limit = ServiceLimits.clearedIndexEntriesPerStep
        let keys = try transaction.reading.entries(in: rest, limit: limit).map(\.key)
        let entries = keys.map(Entry.init)
        let sources = Array(Set(entries.compactMap { $0?.source }.filter(isSuspect))).sorted()
        let references = try transaction.reading.readableRecords(sources, in: zone).mapValues(\.actingReferences)
        for (key, entry) in zip(keys, entries) {
            if let entry, !isSuspect(entry.source) { continue }
            if let entry,
                references[entry.source]?.contains(where: { $0.target == entry.target && $0.kind == entry.kind })
                    == true
            {
                continue
            }
            let text = entry.map { "reference of '\($0.source)' to '\($0.target)'" } ?? "key \(key)"
            step.findings.append(place.finding(.wrongReferrers, text))
            transaction.writing?.clear(key)
        }
        if keys.count == limit { step.next = keys.last?.next }
        return step
    }

    /// Some of the targets whose counts are not those of their entries, and where to go on; nil at the end.
    ///
    /// Entries and counts lie in the same order, so they are read side by side.
    /// - Parameters:
    ///   - from: the first target that is looked at.
    ///   - limit: counts that are in memory at a time. Twice as many targets are found at most.
    func wrongCounts(
        from start: String, atOnce limit: Int, in transaction: any ReadTransaction
    ) throws -> (targets: [String], next: String?) {
        var (counts, entries) = (countRange, range)
        let prefix = counts.lower
        counts.lower = Keyspace.referrerCount(zone: zone, target: start)
        entries.lower = Keyspace.referrers(zone: zone, target: start).key
        let page = try transaction.entries(in: counts, limit: limit)
        var merge = CountMerge(
            stored: try page.map { (Keyspace.name(in: $0.key, behind: prefix), try ReferrerCount(stored: $0.value)) })
        // What is behind a full page is of the next step.
        let last = page.count == limit ? merge.stored.last?.target : nil
        var next: String?
        try transaction.forEach(in: entries, limit: .max, reverse: false) { key, _ in
            guard let entry = Entry(Key(Array(key))) else { return true }
            if !merge.isAt(entry.target) {
                if let last, ByteOrder.precedes(last, entry.target) { return false }
                let isFull = merge.wrong.count >= limit
                merge.begin(entry.target)
                if isFull {
                    next = entry.target
                    return false
                }
            }
            merge.add(entry.kind)
            return true
        }
        if next == nil {
            merge.finish()
            // The least name behind it.
            next = last.map { $0 + "\u{0}" }
        }
        return (merge.wrong, next)
    }

    /// Counts those that refer to a target.
    func count(_ target: String, in transaction: any WriteTransaction) throws {
        var count = ReferrerCount()
        for kind in [ActingReference.Kind.deleteSelf, .validate, .parent] {
            let range = Keyspace.referrers(zone: zone, target: target, kind)
            try transaction.forEach(in: range, limit: .max, reverse: false) { _, _ in
                if kind.holdsTarget { count.holding += 1 } else { count.deleteSelf += 1 }
                return true
            }
        }
        let key = Keyspace.referrerCount(zone: zone, target: target)
        if count.isZero { transaction.clear(key) } else { transaction.set(key, count) }
    }
}

/// Holds counts, in the order of their targets, against what is counted again.
private struct CountMerge {
    typealias Count = (target: String, count: ReferrerCount)

    /// Those that are not held against anything yet.
    private(set) var stored: ArraySlice<Count>
    private(set) var wrong: [String] = []
    private var current: Count?

    init(stored: [Count]) { self.stored = stored[...] }

    func isAt(_ target: String) -> Bool { current.map { ByteOrder.equal($0.target, target) } ?? false }

    /// Comes to a target with entries.
    mutating func begin(_ target: String) {
        close()
        // Counts without entries.
        while let first = stored.first, ByteOrder.precedes(first.target, target) {
            wrong.append(first.target)
            stored.removeFirst()
        }
        current = (target, ReferrerCount())
    }

    mutating func add(_ kind: ActingReference.Kind) {
        if kind.holdsTarget { current?.count.holding += 1 } else { current?.count.deleteSelf += 1 }
    }

    /// Comes to the end of all entries.
    mutating func finish() {
        close()
        wrong += stored.map(\.target)
        stored = []
    }

    private mutating func close() {
        guard let (target, count) = current else { return }
        current = nil
        guard let first = stored.first, ByteOrder.equal(first.target, target) else { return wrong.append(target) }
        if first.count != count { wrong.append(target) }
        stored.removeFirst()
    }
}
