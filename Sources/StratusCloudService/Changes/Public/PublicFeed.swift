import StratusCloudModel
import StratusCloudStore

/// The counting of changes for the feed of a public database: its only zone is the database, so that the version of the
/// zone is the database's change version, too.
struct PublicFeed {
    let header: ZoneHeader
    /// With the change version that belongs to the header.
    let counters: DatabaseCounters

    static func read(in transaction: any ReadTransaction) throws -> PublicFeed {
        var header = try ZoneHeader.default(in: transaction)
        var counters = try DatabaseCounters.read(in: transaction)
        join(&header, &counters)
        return PublicFeed(header: header, counters: counters)
    }

    /// Counts a commit that made the zone's header another.
    /// - Parameter version: The zone's version before the commit.
    static func count(
        _ header: inout ZoneHeader, after version: UInt64, by origin: ChangeOrigin, in transaction: any WriteTransaction
    ) throws {
        var counters = try DatabaseCounters.read(in: transaction)
        var former = header
        former.version = version
        join(&former, &counters)
        header.purgedVersion = former.purgedVersion
        counters.countChange(origin, in: transaction)
        counters.changeVersion = header.version
        transaction.set(Keyspace.counters, counters)
    }

    /// Ends all tokens, because records are gone that have no tombstones.
    static func endTokens(by origin: ChangeOrigin, in transaction: any WriteTransaction) throws {
        var header = try ZoneHeader.default(in: transaction)
        let version = header.version
        header.version += 1
        try count(&header, after: version, by: origin, in: transaction)
        header.purgedVersion = header.version
        transaction.set(Keyspace.zone(ZoneID.defaultZoneName), header)
    }

    /// A server without this feed kept no tombstones and did not count what it changed, so that a client must know all
    /// of it, or begin anew.
    private static func join(_ header: inout ZoneHeader, _ counters: inout DatabaseCounters) {
        guard counters.changeVersion != header.version else { return }
        counters.changeVersion = header.version
        header.purgedVersion = header.version
    }
}
