import StratusCloudModel
import StratusCloudStore

/// Forgets what feeds of shares need not tell any more, in bounded transactions: what left a share, and all that is left
/// of a share that was stopped.
enum SharePurge {
    /// The shares of a zone of which something is to go.
    static func expired(
        of zoneName: String, before latest: Int64, in transaction: any ReadTransaction
    ) throws -> [ShareNumber] {
        guard let header = try ZoneHeader.find(zoneName, in: transaction) else { return [] }
        return try transaction.allValues(StoredShare.self, in: Keyspace.shares(zone: header.number)).filter { share in
            if let ended = share.ended { return ended <= latest }
            let oldest = try transaction.entries(in: kept(of: share, header), limit: 1).first
            return try oldest.map { try ShareFeedEntry(stored: $0.value).left <= latest } ?? false
        }.map(\.number)
    }

    /// - Returns: how many entries are gone.
    static func step(
        of number: ShareNumber, in zoneName: String, before latest: Int64, _ transaction: any WriteTransaction
    ) throws -> Int {
        // The zone may have been deleted, and made again, since.
        guard let header = try ZoneHeader.find(zoneName, in: transaction),
            let share: StoredShare = try transaction.value(at: Keyspace.share(zone: header.number, number))
        else { return 0 }
        guard let ended = share.ended else { return try forgetGone(from: share, header, before: latest, transaction) }
        return ended <= latest ? try forget(share, header, transaction) : 0
    }

    /// What left a share that there is still.
    private static func forgetGone(
        from stored: StoredShare, _ header: ZoneHeader, before latest: Int64, _ transaction: any WriteTransaction
    ) throws -> Int {
        var share = stored
        let prefix = Keyspace.sharePrefix(.shareGone, zone: header.number, share.number).key
        var count = 0
        for entry in try transaction.entries(in: kept(of: share, header), limit: ServiceLimits.purgedTombstonesPerStep)
        {
            let gone = try ShareFeedEntry(stored: entry.value)
            guard gone.left <= latest else { break }
            let version = try version(of: entry, behind: prefix)
            transaction.clear(entry.key)
            transaction.clear(Keyspace.shareDeparture(zone: header.number, of: gone.recordName, version))
            share.purgedVersion = version
            count += 1
        }
        if share != stored { transaction.set(Keyspace.share(zone: header.number, share.number), share) }
        return count
    }

    /// A share that was stopped: its feed first, with what it says of records, and at last itself.
    private static func forget(
        _ stored: StoredShare, _ header: ZoneHeader, _ transaction: any WriteTransaction
    ) throws -> Int {
        let (zone, number) = (header.number, stored.number)
        var share = stored
        var count = 0
        for tag in [Keyspace.Tag.shareFeed, .shareGone] {
            let room = ServiceLimits.purgedTombstonesPerStep - count
            guard room > 0 else { break }
            let range = KeyRange(prefix: Keyspace.sharePrefix(tag, zone: zone, number).key)
            let entries = try transaction.entries(in: range, limit: room)
            guard let last = entries.last else { continue }
            if tag == .shareGone {
                for entry in entries {
                    let name = try ShareFeedEntry(stored: entry.value).recordName
                    let version = try version(of: entry, behind: range.lower)
                    transaction.clear(Keyspace.shareDeparture(zone: zone, of: name, version))
                }
            } else {
                let names = try entries.map { try ShareFeedEntry(stored: $0.value).recordName }
                for (name, member) in zip(names, try transaction.shareMembers(names, in: zone))
                where member?.share == number {
                    transaction.clear(Keyspace.member(zone: zone, name))
                }
            }
            transaction.clear(KeyRange(lower: range.lower, upper: last.key.next))
            count += entries.count
        }
        if count == ServiceLimits.purgedTombstonesPerStep {
            // Nobody's feed can go on over what is half gone.
            share.purgedVersion = .max
            if share != stored { transaction.set(Keyspace.share(zone: zone, number), share) }
            return count
        }
        transaction.clear(Keyspace.share(zone: zone, number))
        return count + 1
    }

    private static func version(of entry: StoreEntry, behind prefix: Key) throws -> UInt64 {
        var decoder = TupleDecoder(entry.key, skipping: prefix.bytes.count)
        guard let version = decoder.unsigned() else { throw ByteReader.Malformed() }
        return version
    }

    /// Takes a zone that a user no longer sees from those that their shared database remembers.
    /// - Parameter name: ``SharedZone/name(_:)``
    static func forget(_ name: String, in transaction: any WriteTransaction) throws {
        let key = Keyspace.zone(name)
        if let zone: SharedZone = try transaction.value(at: key), zone.seen.isEmpty { transaction.clear(key) }
    }

    /// What left a share and is still told. What was cleared before is not gone over again.
    private static func kept(of share: StoredShare, _ header: ZoneHeader) -> KeyRange {
        let prefix = Keyspace.sharePrefix(.shareGone, zone: header.number, share.number)
        return KeyRange(lower: prefix.key(share.purgedVersion).next, upper: KeyRange(prefix: prefix.key).upper)
    }
}
