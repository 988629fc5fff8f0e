import CloudModel
import CloudStore

extension CloudService {
    /// `changes/database` and `zones/changes`: a page of the zones that were made, changed or deleted.
    ///
    /// Default zones have no feed and never stand in it. Nothing is shared in the shared database, so its feed is empty.
    /// - Throws: `badRequest` in the public database, for a `resultsLimit` below 1, and for a token that cannot be
    ///   continued, which carries ``CloudError/ExtensionCode/changeTokenExpired``; the errors of
    ///   ``Authorization/checkDatabase(_:_:)``.
    public func databaseChanges(
        _ request: DatabaseChangesRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> DatabaseChangesPage {
        try Self.checkFeeds(in: scope, caller)
        let limit = try PageLimit.resolve(request.resultsLimit)
        guard scope != .shared else { return try sharedChanges(request, caller) }
        let address = try DatabaseAddress(scope, nil, caller)
        let token = try token(of: request, address.partition)
        let found = try await reading(address.partition) { transaction in
            try DatabaseFeed.page(from: token, limit: limit, in: transaction)
        }
        let zones = found.zones.map { zone -> ZoneResult in
            switch zone.state {
            case .present(let header): .zone(self.zone(named: zone.name, header, found.counters, address))
            case .gone(let reason): .deleted(address.zoneID(named: zone.name), reason)
            }
        }
        let next = SyncToken(zone: SyncToken.noZone, position: found.walk.position, found.counters)
        return DatabaseChangesPage(
            zones: zones, syncToken: next.text(for: .database, in: address.partition, seals),
            moreComing: !found.walk.isFinished)
    }

    private func sharedChanges(
        _ request: DatabaseChangesRequest, _ caller: Caller
    ) throws(CloudError) -> DatabaseChangesPage {
        let partition = Partition.sharedDatabase(of: caller.userRecordName ?? "", in: caller.context)
        _ = try token(of: request, partition)
        let token = SyncToken(zone: SyncToken.noZone, position: FeedPosition(known: 0), DatabaseCounters())
        return DatabaseChangesPage(
            zones: [], syncToken: token.text(for: .database, in: partition, seals), moreComing: false)
    }

    private func token(
        of request: DatabaseChangesRequest, _ partition: Partition
    ) throws(CloudError) -> SyncToken? {
        try request.syncToken.map { text throws(CloudError) in
            try SyncToken(text, for: .database, in: partition, seals)
        }
    }
}

/// Reads the feed of a database's zones.
private enum DatabaseFeed {
    enum ZoneState: Sendable {
        case present(ZoneHeader)
        case gone(ZoneDeletionReason)
    }

    struct Page: Sendable {
        var zones: [(name: String, state: ZoneState)]
        var walk: FeedWalk
        var counters: DatabaseCounters
    }

    static func page(from token: SyncToken?, limit: Int, in transaction: any ReadTransaction) throws -> Page {
        let counters = try DatabaseCounters.read(in: transaction)
        let top = counters.changeVersion
        try token?.check(counters, top: top, purged: counters.purgedVersion, in: transaction)
        var walk = FeedWalk(from: token?.position ?? .beginning(of: top), to: top, reverse: false)
        let entries = try ChangeFeed.zones.entries(walk.rest, limit: limit + 1, in: transaction)
        let zones = try zones(of: entries.prefix(limit), in: transaction)
        if entries.count > limit { walk.pass(entries[limit - 1].version) } else { walk.finish() }
        return Page(zones: zones, walk: walk, counters: counters)
    }

    private static func zones(
        of entries: ArraySlice<ChangeFeed.Entry>, in transaction: any ReadTransaction
    ) throws -> [(name: String, state: ZoneState)] {
        let present = entries.filter { !$0.isGone }.map { String(decoding: $0.value, as: UTF8.self) }
        var headers = zip(present, try transaction.get(present.map(Keyspace.zone))).makeIterator()
        return try entries.map { entry in
            guard !entry.isGone else {
                let tombstone = try ZoneTombstone(stored: entry.value)
                return (tombstone.zoneName, .gone(tombstone.reason))
            }
            guard let (name, bytes) = headers.next(), let bytes else { throw ByteReader.Malformed() }
            return (name, .present(try ZoneHeader(stored: bytes)))
        }
    }
}
