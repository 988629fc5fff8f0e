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
    /// Nil where all references hold.
    let authority: ReferenceAuthority?
    var ledger: ReferrerLedger
    /// The references that records have after the batch, for those that it saves.
    private var saved: [String: Set<ActingReference>] = [:]
    private var savedReferrers: [String: Set<Referrer>] = [:]
    /// Stored holders of `DELETE_SELF` references, with the zone's version at which each was made.
    private var storedGoers: [StoredGoers.Place: StoredGoers] = [:]

    /// Stored holders of a target's `DELETE_SELF` references, as far as one transaction reads them.
    private struct StoredGoers {
        struct Place: Hashable {
            let target: String
            /// Only sources behind this one; nil means all.
            let after: String?
        }

        var entries: [(source: String, version: UInt64)] = []
        /// The last that was read, if there may be more.
        var last: String?
    }

    /// Those that are deleted with a target.
    struct Goers {
        /// In order.
        var names: [String]
        /// The last stored one that was read, if there may be more.
        var last: String?
    }

    init(
        zone: ZoneNumber, work: CascadeWork, _ authority: ReferenceAuthority?, in transaction: any ReadTransaction
    ) {
        self.zone = zone
        self.work = work
        self.transaction = transaction
        self.authority = authority
        ledger = ReferrerLedger(zone: zone, isPublic: authority != nil)
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
    /// - Parameters:
    ///   - version: leaves out stored references made later; nil takes all.
    ///   - after: leaves out stored ones up to this name; nil takes all.
    mutating func goers(
        of target: String, madeUntil version: UInt64? = nil, after: String? = nil
    ) throws -> Goers {
        let stored = try stored(StoredGoers.Place(target: target, after: after))
        var goers = Goers(names: [], last: stored.last)
        for entry in stored.entries where saved[entry.source] == nil && entry.version <= version ?? .max {
            goers.names.append(entry.source)
        }
        if let fresh = savedReferrers[target] {
            for referrer in fresh where referrer.kind == .deleteSelf { goers.names.append(referrer.source) }
            goers.names.sort()
        }
        return goers
    }

    private mutating func stored(_ place: StoredGoers.Place) throws -> StoredGoers {
        if let known = storedGoers[place] { return known }
        guard ledger[place.target].deleteSelf > 0 else { return StoredGoers() }
        var range = Keyspace.deleteSelfReferrers(zone: zone, target: place.target)
        let prefix = range.lower
        if let after = place.after {
            range.lower = Keyspace.referrer(zone: zone, target: place.target, .deleteSelf, source: after).next
        }
        let entries = try transaction.entries(in: range, limit: work.goersPerRead)
        var found = StoredGoers()
        found.entries = try entries.map { entry in
            let version = try ByteReader.read(entry.value) { try $0.unsigned() }
            return (source: Keyspace.name(in: entry.key, behind: prefix), version: version)
        }
        if entries.count == work.goersPerRead { found.last = found.entries.last?.source }
        storedGoers[place] = found
        return found
    }

    /// Whether a record refers to a target with `DELETE_SELF`.
    private func isGoer(_ source: String, of target: String) throws -> Bool {
        if let references = saved[source] {
            return references.contains(ActingReference(target: target, kind: .deleteSelf))
        }
        return try transaction.get(Keyspace.referrer(zone: zone, target: target, .deleteSelf, source: source)) != nil
    }

    /// Whether a stored record may keep another from being deleted.
    private func mayHold(_ source: String, _ target: String) throws -> Bool {
        guard let authority else { return true }
        guard let held = try transaction.record(named: target, in: zone),
            let holder = try transaction.record(named: source, in: zone)
        else { return false }
        return authority.mayHold(.init(held), author: holder.created.userRecordName)
    }

    /// The first that holds a target, of those who `isReleased` does not let go; its count must be loaded.
    /// - Parameters:
    ///   - asksGoers: Whether `isReleased` is told who is deleted with the target.
    ///   - isReleased: is given one that refers to the target, and whether it is deleted with the target.
    mutating func holder(
        of target: String, asksGoers: Bool, unless isReleased: (Referrer, Bool) -> Bool
    ) throws -> Referrer? {
        func isReleasedNow(_ referrer: Referrer) throws -> Bool {
            isReleased(referrer, asksGoers ? try isGoer(referrer.source, of: target) : false)
        }
        let fresh = savedReferrers[target]?.filter { $0.kind.holdsTarget } ?? []
        if let holder = try fresh.filter({ try !isReleasedNow($0) }).min(by: { $0.source < $1.source }) {
            return holder
        }
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
                if saved[source] == nil, try !isReleasedNow(referrer), try mayHold(source, target) { return referrer }
            }
            guard let last = entries.last, entries.count == work.holdsPerRead else { return nil }
            range.lower = last.key.next
        }
    }
}
