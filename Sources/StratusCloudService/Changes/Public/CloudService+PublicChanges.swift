import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `changes/records`, an addition to Apple's protocol: a page of the records saved and deleted in the public
    /// database, as far as the caller may read them.
    ///
    /// Pages end early, with more to come, where the request would read more than
    /// ``ServiceLimits/recordsPerFeedRequest`` records or ``ServiceLimits/feedRequestSize``, records that the caller may
    /// not read included.
    /// - Throws: `badRequest` in another database, for a `resultsLimit` below 1, and for a token that cannot be
    ///   continued, which carries ``CloudError/ExtensionCode/changeTokenExpired``. A token expires, beside the reasons
    ///   that private zones have, when what the caller may read has changed.
    public func publicChanges(
        _ request: PublicChangesRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> ZoneChangesPage {
        let address = try DatabaseAddress(scope, nil, caller)
        guard scope == .public else {
            throw CloudError(
                .badRequest, "'changes/records' is for the public database; private zones have 'changes/zone'")
        }
        let page = PreparedPublicPage(
            request: request, limit: try PageLimit.resolve(request.resultsLimit), address: address,
            token: try request.syncToken.map { text throws(CloudError) in
                try SyncToken(text, for: .publicRecords, in: address.partition, seals)
            })
        try ZoneChangesRequest.check(request.desiredKeys, "desiredKeys")
        try ZoneChangesRequest.check(request.desiredRecordTypes, "desiredRecordTypes")
        let access = ReadAccess(of: caller, under: try await schema(of: caller.context))
        return try await reading(address.partition) { [seals] transaction in
            try page.read(access, seals, in: transaction)
        }
    }
}

/// A page that was asked for, checked as far as it can be without looking at the store.
private struct PreparedPublicPage: Sendable {
    let request: PublicChangesRequest
    let limit: Int
    let address: DatabaseAddress
    let token: SyncToken?

    func read(_ access: ReadAccess, _ seals: Seals, in transaction: any ReadTransaction) throws -> ZoneChangesPage {
        let feed = try PublicFeed.read(in: transaction)
        let fingerprint = access.fingerprint
        if let token {
            guard token.access == fingerprint else { throw SyncToken.accessChanged }
            try token.check(
                feed.counters, top: feed.header.version, purged: feed.header.purgedVersion, in: transaction)
        }
        var walk = FeedWalk(
            from: token?.position ?? .beginning(of: feed.header.version), to: feed.header.version, reverse: false)
        var reader = ZoneFeedReader(
            zoneID: address.zoneID, header: feed.header, limit: limit, desiredKeys: request.desiredKeys,
            desiredTypes: request.desiredRecordTypes, in: transaction)
        reader.access = access
        var collector = ZoneChangesCollector()
        var budget = FeedBudget()
        collector.begin(address.zoneID, expecting: limit)
        try reader.tell(&collector, &walk, &budget)
        var next = SyncToken(zone: feed.header.number, position: walk.position, feed.counters)
        next.access = fingerprint
        collector.end(
            syncToken: next.text(for: .publicRecords, in: address.partition, seals), moreComing: !walk.isFinished,
            reverse: false, clientChangeToken: nil)
        guard case .page(_, let page)? = collector.results.first else {
            throw CloudError(.internalError, "internal error")
        }
        return page
    }
}
