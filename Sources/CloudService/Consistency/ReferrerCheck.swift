import CloudModel
import CloudStore

/// From what targets know of those that refer to them to the records that do, and how many they are.
struct ReferrerCheck: Sendable {
    let zone: ZoneNumber
    let place: ConsistencyPlace

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
        step.count = keys.count
        let entries = keys.map(Entry.init)
        let sources = Array(Set(entries.compactMap { $0?.source })).sorted()
        let references = try transaction.reading.readableRecords(sources, in: zone).mapValues(\.actingReferences)
        for (key, entry) in zip(keys, entries) {
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

    /// Targets whose counts are not those of their entries.
    func wrongCounts(in transaction: any ReadTransaction) throws -> [String] {
        var wrong: Set<String> = []
        var stored: [String: ReferrerCount] = [:]
        let prefix = Keyspace.prefix(.referrerCount, zone: zone).key
        try transaction.forEach(in: countRange, limit: .max, reverse: false) { key, value in
            let name = String(decoding: key.dropFirst(prefix.bytes.count), as: UTF8.self)
            stored[name] = try ReferrerCount(stored: Array(value))
            return true
        }
        var current: (target: String, count: ReferrerCount)?
        func close() {
            guard let (target, count) = current else { return }
            if stored.removeValue(forKey: target) != count { wrong.insert(target) }
        }
        try transaction.forEach(in: range, limit: .max, reverse: false) { key, _ in
            guard let entry = Entry(Key(Array(key))) else { return true }
            if current?.target != entry.target {
                close()
                current = (entry.target, ReferrerCount())
            }
            if entry.kind.holdsTarget { current?.count.holding += 1 } else { current?.count.deleteSelf += 1 }
            return true
        }
        close()
        return (wrong.union(stored.keys)).sorted()
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
