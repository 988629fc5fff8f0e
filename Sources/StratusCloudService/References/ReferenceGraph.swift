import StratusCloudStore

/// Who refers to whom in a zone: what is stored, and over it what a batch saves.
struct ReferenceGraph {
    /// One that refers to a target.
    struct Referrer: Hashable {
        let source: String
        let kind: ActingReference.Kind
    }

    let zone: ZoneNumber
    let work: CascadeWork
    let transaction: any ReadTransaction
    var ledger: ReferrerLedger
    /// The references that records have after the batch, for those that it saves.
    private var saved: [String: Set<ActingReference>] = [:]
    private var savedReferrers: [String: Set<Referrer>] = [:]
    /// Stored holders of `DELETE_SELF` references, with the zone's version at which each was made.
    private var storedGoers: [String: [(source: String, version: UInt64)]] = [:]

    init(zone: ZoneNumber, work: CascadeWork, in transaction: any ReadTransaction) {
        self.zone = zone
        self.work = work
        self.transaction = transaction
        ledger = ReferrerLedger(zone: zone)
    }

    /// Takes in what the batch saves, in place of what was taken in before.
    mutating func setSaves(_ saves: [String: Set<ActingReference>]) {
        saved = saves
        savedReferrers = [:]
        for (source, references) in saves {
            for reference in references {
                savedReferrers[reference.target, default: []].insert(Referrer(source: source, kind: reference.kind))
            }
        }
    }

    /// Whether anything that the batch saves refers to a record.
    func isTargetOfSave(_ name: String, _ kind: ActingReference.Kind) -> Bool {
        savedReferrers[name]?.contains { $0.kind == kind } ?? false
    }

    /// Those that are deleted with a target, in the order of their names; its count must be loaded.
    /// - Parameter version: leaves out stored references made later; nil takes all.
    mutating func goers(of target: String, madeUntil version: UInt64? = nil) throws -> [String] {
        var names: [String] = []
        for stored in try stored(target) where saved[stored.source] == nil && stored.version <= version ?? .max {
            names.append(stored.source)
        }
        if let fresh = savedReferrers[target] {
            for referrer in fresh where referrer.kind == .deleteSelf { names.append(referrer.source) }
            names.sort()
        }
        return names
    }

    private mutating func stored(_ target: String) throws -> [(source: String, version: UInt64)] {
        if let known = storedGoers[target] { return known }
        guard ledger[target].deleteSelf > 0 else { return [] }
        let range = Keyspace.deleteSelfReferrers(zone: zone, target: target)
        let entries = try transaction.entries(in: range, limit: ReferenceLimits.deleteSelfSources)
        let found = try entries.map { entry in
            let version = try ByteReader.read(entry.value) { try $0.unsigned() }
            return (source: Keyspace.name(in: entry.key, behind: range.lower), version: version)
        }
        storedGoers[target] = found
        return found
    }

    /// The first that holds a target, of those who `isReleased` does not let go; its count must be loaded.
    mutating func holder(of target: String, unless isReleased: (Referrer) -> Bool) throws -> Referrer? {
        let fresh = savedReferrers[target]?.filter { $0.kind.holdsTarget } ?? []
        if let holder = fresh.filter({ !isReleased($0) }).min(by: { $0.source < $1.source }) { return holder }
        guard ledger[target].holding > 0 else { return nil }
        var range = Keyspace.holdingReferrers(zone: zone, target: target)
        let prefix = Key(Array(range.lower.bytes.dropLast()))
        while true {
            let entries = try transaction.entries(in: range, limit: work.holdsPerRead)
            for entry in entries {
                guard let kind = ActingReference.Kind(rawValue: entry.key.bytes[prefix.bytes.count]) else {
                    throw ByteReader.Malformed()
                }
                let source = String(decoding: entry.key.bytes.dropFirst(prefix.bytes.count + 1), as: UTF8.self)
                let referrer = Referrer(source: source, kind: kind)
                if saved[source] == nil, !isReleased(referrer) { return referrer }
            }
            guard let last = entries.last, entries.count == work.holdsPerRead else { return nil }
            range.lower = last.key.next
        }
    }
}
