import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `changes/database` and `zones/changes`: a page of the zones that were made, changed or deleted.
    ///
    /// Default zones have no feed and never stand in it. In the shared database it tells of the zones that others share
    /// with the caller; those that they see no more stand in it as deleted.
    /// - Throws: `badRequest` in the public database, for a `resultsLimit` below 1, and for a token that cannot be
    ///   continued, which carries ``CloudError/ExtensionCode/changeTokenExpired``; the errors of
    ///   ``Authorization/checkDatabase(_:_:)``.
    public func databaseChanges(
        _ request: DatabaseChangesRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> DatabaseChangesPage {
        try Self.checkFeeds(in: scope, caller)
        let limit = try PageLimit.resolve(request.resultsLimit)
        guard scope != .shared else { return try await sharedChanges(request, limit: limit, caller) }
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
        _ request: DatabaseChangesRequest, limit: Int, _ caller: Caller
    ) async throws(CloudError) -> DatabaseChangesPage {
        let partition = Partition.sharedDatabase(of: caller.authorRecordName, in: caller.context)
        let token = try token(of: request, partition)
        try await observeSharedZones(as: caller)
        let found = try await reading(partition) { try DatabaseFeed.entries(from: token, limit: limit, in: $0) }
        var zones: [ZoneResult] = []
        for entry in found.entries {
            if entry.isGone {
                let name = try decoding { try ZoneTombstone(stored: entry.value).zoneName }
                zones.append(.deleted(SharedZone.zoneID(named: name)))
                continue
            }
            let zoneID = SharedZone.zoneID(named: String(decoding: entry.value, as: UTF8.self))
            let address = try DatabaseAddress(.shared, zoneID, caller)
            let zone = try await reading(address.partition) { [seals] transaction -> Zone? in
                guard let view = try address.view(in: transaction) else { return nil }
                return Self.sharedZone(address, view, try DatabaseCounters.read(in: transaction), seals)
            }
            // One that went just now stands as deleted where the next page begins.
            if let zone { zones.append(.zone(zone)) }
        }
        let next = SyncToken(zone: SyncToken.noZone, position: found.walk.position, found.counters)
        return DatabaseChangesPage(
            zones: zones, syncToken: next.text(for: .database, in: partition, seals),
            moreComing: !found.walk.isFinished)
    }

    private func decoding<Value>(_ body: () throws -> Value) throws(CloudError) -> Value {
        do {
            return try body()
        } catch {
            throw cloudError(from: error)
        }
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

    /// A page as it is stored.
    static func entries(
        from token: SyncToken?, limit: Int, in transaction: any ReadTransaction
    ) throws -> (entries: ArraySlice<ChangeFeed.Entry>, walk: FeedWalk, counters: DatabaseCounters) {
        let counters = try DatabaseCounters.read(in: transaction)
        let top = counters.changeVersion
        try token?.check(counters, top: top, purged: counters.purgedVersion, in: transaction)
        var walk = FeedWalk(from: token?.position ?? .beginning(of: top), to: top, reverse: false)
        let entries = try ChangeFeed.zones.entries(walk.rest, limit: limit + 1, in: transaction)
        if entries.count > limit { walk.pass(entries[limit - 1].version) } else { walk.finish() }
        return (entries.prefix(limit), walk, counters)
    }

    static func page(from token: SyncToken?, limit: Int, in transaction: any ReadTransaction) throws -> Page {
        let (entries, walk, counters) = try entries(from: token, limit: limit, in: transaction)
        return Page(zones: try zones(of: entries, in: transaction), walk: walk, counters: counters)
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
