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
    /// What an author's records refer to with `DELETE_SELF`.
    struct AuthorPlace: Hashable {
        let target: String
        let author: String
    }

    let zone: ZoneNumber
    /// Whether each author has a number of references of their own, and some references are not kept because they do
    /// not hold their targets: in public databases.
    let isPublic: Bool
    private var counts: [String: ReferrerCount] = [:]
    private var changed: Set<String> = []
    private var authorCounts: [AuthorPlace: UInt64] = [:]
    private var changedAuthors: Set<AuthorPlace> = []

    init(zone: ZoneNumber, isPublic: Bool) {
        self.zone = zone
        self.isPublic = isPublic
    }

    /// The counts of a target that was loaded.
    subscript(target: String) -> ReferrerCount { counts[target] ?? ReferrerCount() }

    /// How many of the places at a target are used that an author may use: everybody's in a private database, the
    /// author's own in a public one.
    func deleteSelfSources(of target: String, by author: String) -> Int {
        guard isPublic else { return Int(clamping: self[target].deleteSelf) }
        return Int(clamping: authorCounts[AuthorPlace(target: target, author: author)] ?? 0)
    }

    /// Reads the counts of targets, all at once; those known already cost nothing.
    mutating func load(_ targets: some Sequence<String>, in transaction: any ReadTransaction) throws {
        let unknown = Array(Set(targets.filter { counts[$0] == nil }))
        guard !unknown.isEmpty else { return }
        let found = try transaction.get(unknown.map { Keyspace.referrerCount(zone: zone, target: $0) })
        for (target, bytes) in zip(unknown, found) {
            counts[target] = try bytes.map { try ReferrerCount(stored: $0) } ?? ReferrerCount()
        }
    }

    /// Reads how many places authors have used; nothing where they have none of their own.
    mutating func load(_ places: some Sequence<AuthorPlace>, in transaction: any ReadTransaction) throws {
        guard isPublic else { return }
        let unknown = Array(Set(places.filter { authorCounts[$0] == nil }))
        guard !unknown.isEmpty else { return }
        let found = try transaction.get(unknown.map(key))
        for (place, bytes) in zip(unknown, found) {
            authorCounts[place] = try bytes.map { try ByteReader.read($0) { try $0.unsigned() } } ?? 0
        }
    }

    /// Writes the entries of a record that is replaced by another version, or by nothing.
    /// - Parameters:
    ///   - loose: Those of the new references that hold their targets nowhere, and of which no entry is kept.
    ///   - version: the zone's version that the change made.
    mutating func replace(
        _ before: StoredRecord?, by after: StoredRecord?, without loose: Set<ActingReference> = [], version: UInt64,
        in transaction: any WriteTransaction
    ) throws {
        let old = before?.actingReferences ?? []
        let new = after?.actingReferences ?? []
        guard old != new, let record = after ?? before else { return }
        let source = record.recordName
        let removed = try kept(old.subtracting(new), of: source, in: transaction)
        let added = new.subtracting(old).subtracting(loose)
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
        let author = record.created.userRecordName
        try count(removed, of: author, in: transaction) { $0 - min($0, 1) }
        try count(added, of: author, in: transaction) { $0 + 1 }
    }

    /// Those of a record's references of which there are entries.
    private func kept(
        _ references: Set<ActingReference>, of source: String, in transaction: any ReadTransaction
    ) throws -> [ActingReference] {
        let all = Array(references)
        guard isPublic, all.contains(where: \.kind.holdsTarget) else { return all }
        let found = try transaction.get(all.map { key(of: $0, source) })
        return zip(all, found).compactMap { $1 == nil ? nil : $0 }
    }

    private mutating func count(
        _ references: some Collection<ActingReference>, of author: String, in transaction: any ReadTransaction,
        _ change: (UInt64) -> UInt64
    ) throws {
        guard isPublic else { return }
        let places = references.filter { $0.kind == .deleteSelf }.map { AuthorPlace(target: $0.target, author: author) }
        try load(places, in: transaction)
        for place in places {
            authorCounts[place] = change(authorCounts[place] ?? 0)
            changedAuthors.insert(place)
        }
    }

    /// Writes the counts that changed; the last thing to be done.
    func finish(in transaction: any WriteTransaction) {
        for target in changed {
            let key = Keyspace.referrerCount(zone: zone, target: target)
            let count = self[target]
            if count.isZero { transaction.clear(key) } else { transaction.set(key, count) }
        }
        for place in changedAuthors {
            var writer = ByteWriter(capacity: 10)
            writer.write(unsigned: authorCounts[place] ?? 0)
            if authorCounts[place] == 0 {
                transaction.clear(key(place))
            } else {
                transaction.set(key(place), writer.bytes)
            }
        }
    }

    private func key(_ place: AuthorPlace) -> Key {
        Keyspace.authorReferrers(zone: zone, target: place.target, author: place.author)
    }

    private func key(of reference: ActingReference, _ source: String) -> Key {
        Keyspace.referrer(zone: zone, target: reference.target, reference.kind, source: source)
    }
}
