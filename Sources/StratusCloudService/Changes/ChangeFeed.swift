import StratusCloudStore

/// A part of a feed.
struct FeedSpan {
    /// The version before the first.
    var lower: UInt64
    /// The last version.
    var upper: UInt64
    /// What is gone since this version or earlier is left out.
    var goneAfter: UInt64 = 0
    /// The latest first.
    var reverse = false
}

/// Two ranges that together are a feed: what is there and what is gone, each at the version of its latest change.
///
/// They are apart so that a client that begins with nothing never wades through what was deleted before.
struct ChangeFeed {
    /// One change.
    struct Entry: Sendable {
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

    /// What belongs to the share of a hierarchy.
    init(ofShare share: ShareNumber, in zone: ZoneNumber) {
        present = Keyspace.sharePrefix(.shareFeed, zone: zone, share).key
        gone = Keyspace.sharePrefix(.shareGone, zone: zone, share).key
    }

    private init(present: Key, gone: Key) {
        self.present = present
        self.gone = gone
    }

    /// The zones of a database.
    static let zones = ChangeFeed(
        present: Keyspace.prefix(.zoneChange).key, gone: Keyspace.prefix(.zoneTombstone).key)

    /// At most `limit` entries of a part, in its order.
    func entries(_ span: FeedSpan, limit: Int, in transaction: any ReadTransaction) throws -> [Entry] {
        let there = try read(present, span, limit: limit, isGone: false, transaction)
        let away = try gone(span, limit: limit, in: transaction)
        if away.isEmpty { return there }
        return Self.merge(there, away, limit, span.reverse)
    }

    /// At most `limit` entries of what is gone.
    func gone(_ span: FeedSpan, limit: Int, in transaction: any ReadTransaction) throws -> [Entry] {
        var span = span
        span.lower = max(span.lower, span.goneAfter)
        return try read(gone, span, limit: limit, isGone: true, transaction)
    }

    /// Shows at most `limit` entries of what is there, where they lie, until `body` returns false.
    /// - Returns: how many were shown.
    func forEachPresent(
        _ span: FeedSpan, limit: Int, in transaction: any ReadTransaction,
        _ body: (_ version: UInt64, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Int {
        guard span.lower < span.upper else { return 0 }
        var count = 0
        let prefix = present.bytes.count
        try transaction.forEach(in: Self.range(present, span), limit: limit, reverse: span.reverse) { key, value in
            count += 1
            return try body(try Self.version(in: key, behind: prefix), value)
        }
        return count
    }

    private func read(
        _ prefix: Key, _ span: FeedSpan, limit: Int, isGone: Bool, _ transaction: any ReadTransaction
    ) throws -> [Entry] {
        guard span.lower < span.upper else { return [] }
        let range = Self.range(prefix, span)
        return try transaction.entries(in: range, limit: limit, reverse: span.reverse).map { entry in
            let version = try entry.key.bytes.withUnsafeBytes { try Self.version(in: $0, behind: prefix.bytes.count) }
            return Entry(version: version, isGone: isGone, value: entry.value)
        }
    }

    private static func range(_ prefix: Key, _ span: FeedSpan) -> KeyRange {
        let start = TupleEncoder(prefix)
        // What comes behind the key of a version is behind that version's own and before the next one's.
        return KeyRange(lower: start.key(span.lower).next, upper: start.key(span.upper).next)
    }

    private static func version(in key: UnsafeRawBufferPointer, behind prefix: Int) throws -> UInt64 {
        guard let version = TupleDecoder.unsigned(in: UnsafeRawBufferPointer(rebasing: key[prefix...])) else {
            throw ByteReader.Malformed()
        }
        return version
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
