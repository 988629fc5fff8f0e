import CloudStore

/// Two ranges that together are a feed: what is there and what is gone, each at the version of its latest change.
///
/// They are apart so that a client that begins with nothing never wades through what was deleted before.
struct ChangeFeed {
    /// One change.
    struct Entry {
        let version: UInt64
        let isGone: Bool
        let value: [UInt8]
    }

    private let present: Key
    private let gone: Key

    /// The records of a zone.
    init(of zone: ZoneNumber) {
        present = Keyspace.prefix(.version, zone: zone).key
        gone = Keyspace.prefix(.tombstone, zone: zone).key
    }

    private init(present: Key, gone: Key) {
        self.present = present
        self.gone = gone
    }

    /// The zones of a database.
    static let zones = ChangeFeed(
        present: Keyspace.prefix(.zoneChange).key, gone: Keyspace.prefix(.zoneTombstone).key)

    /// At most `limit` entries with versions in a range, in their order or backwards.
    /// - Parameter goneAfter: what is gone since this version or earlier is left out.
    func entries(
        after lower: UInt64, upTo upper: UInt64, goneAfter: UInt64, limit: Int, reverse: Bool,
        in transaction: any ReadTransaction
    ) throws -> [Entry] {
        let there = try read(present, after: lower, upTo: upper, limit, reverse, isGone: false, transaction)
        let away = try read(gone, after: max(lower, goneAfter), upTo: upper, limit, reverse, isGone: true, transaction)
        if away.isEmpty { return there }
        return Self.merge(there, away, limit, reverse)
    }

    private func read(
        _ prefix: Key, after lower: UInt64, upTo upper: UInt64, _ limit: Int, _ reverse: Bool, isGone: Bool,
        _ transaction: any ReadTransaction
    ) throws -> [Entry] {
        guard lower < upper else { return [] }
        let start = TupleEncoder(prefix)
        // What comes behind the key of a version is behind that version's own and before the next one's.
        let range = KeyRange(lower: start.key(lower).next, upper: start.key(upper).next)
        return try transaction.entries(in: range, limit: limit, reverse: reverse).map { entry in
            var decoder = TupleDecoder(entry.key, skipping: prefix.bytes.count)
            guard let version = decoder.unsigned() else { throw ByteReader.Malformed() }
            return Entry(version: version, isGone: isGone, value: entry.value)
        }
    }

    private static func merge(_ left: [Entry], _ right: [Entry], _ limit: Int, _ reverse: Bool) -> [Entry] {
        var merged: [Entry] = []
        merged.reserveCapacity(min(limit, left.count + right.count))
        var (l, r) = (0, 0)
        while merged.count < limit, l < left.count || r < right.count {
            let takesLeft =
                r == right.count || l < left.count && (left[l].version < right[r].version) != reverse
            if takesLeft {
                merged.append(left[l])
                l += 1
            } else {
                merged.append(right[r])
                r += 1
            }
        }
        return merged
    }
}
