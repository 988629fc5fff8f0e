import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `changes/zone`, its pages as values; see ``zoneChanges(_:in:as:to:)``.
    public func zoneChanges(
        _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [ZoneChangesResult] {
        try await zoneChanges(requests, in: scope, as: caller) { ZoneChangesCollector() }.results
    }

    /// `changes/zone`: a page of each zone's changes, in the order of the request; each zone stands alone.
    ///
    /// They are told while they are read, so that a record need not be copied on its way to whoever receives it.
    /// All pages are of one moment. Pages end early, with more to come, where the request would read more than
    /// ``ServiceLimits/recordsPerFeedRequest`` records or ``ServiceLimits/feedRequestSize``.
    /// - Parameter makeReceiver: makes what is told the pages.
    /// - Returns: the receiver, when all is told.
    /// - Throws: what concerns the whole request: `badRequest` in the public database or for too many zones, the errors
    ///   of ``Authorization/checkDatabase(_:_:)``. In a zone's place: `zoneNotFound`, `badRequest` for the default zone,
    ///   a `resultsLimit` below 1, or a token that cannot be continued, which carries
    ///   ``CloudError/ExtensionCode/changeTokenExpired``.
    public func zoneChanges<Receiver: ZoneChangesReceiver & Sendable>(
        _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller,
        to makeReceiver: @escaping @Sendable () -> Receiver
    ) async throws(CloudError) -> Receiver {
        try Self.checkFeeds(in: scope, caller)
        guard requests.count <= ServiceLimits.zonesPerFeedRequest else {
            throw CloudError(
                .badRequest,
                "Your request contains \(requests.count) zones which is more than the maximum number of zones in a "
                    + "single request (\(ServiceLimits.zonesPerFeedRequest))")
        }
        let prepared = requests.map { PreparedZoneFeed($0, scope, caller, seals) }
        guard let partition = prepared.lazy.compactMap(\.address?.partition).first else {
            var receiver = makeReceiver()
            for feed in prepared { feed.refuse(to: &receiver) }
            return receiver
        }
        guard !prepared.contains(where: { $0.address.map { $0.partition != partition } ?? false }) else {
            return try await tellOwners(prepared, to: makeReceiver())
        }
        return try await reading(partition) { [seals] transaction in
            var budget = FeedBudget()
            var receiver = makeReceiver()
            for feed in prepared { try feed.tell(&receiver, &budget, seals, in: transaction) }
            return receiver
        }
    }

    /// Zones of several owners: of one moment each.
    private func tellOwners<Receiver: ZoneChangesReceiver & Sendable>(
        _ prepared: [PreparedZoneFeed], to receiver: Receiver
    ) async throws(CloudError) -> Receiver {
        var receiver = receiver
        var budget = FeedBudget()
        for feed in prepared {
            guard let partition = feed.address?.partition else {
                feed.refuse(to: &receiver)
                continue
            }
            (receiver, budget) = try await reading(partition) { [seals, receiver, budget] transaction in
                var (receiver, budget) = (receiver, budget)
                try feed.tell(&receiver, &budget, seals, in: transaction)
                return (receiver, budget)
            }
        }
        return receiver
    }

    /// `records/changes`: a page of one zone's changes.
    /// - Throws: as ``zoneChanges(_:in:as:)``, what concerns the zone, too.
    public func recordChanges(
        _ request: ZoneChangesRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> ZoneChangesPage {
        switch try await zoneChanges([request], in: scope, as: caller).first {
        case .page(_, let page)?: return page
        case .failed(_, let error)?: throw error
        case nil: throw CloudError(.internalError, "internal error")
        }
    }

    /// Whether a database has change feeds, and the caller may see them.
    static func checkFeeds(in scope: DatabaseScope, _ caller: Caller) throws(CloudError) {
        try Authorization.checkDatabase(scope, caller)
        guard scope != .public else {
            throw CloudError(.badRequest, "the public database has no change feeds")
        }
    }
}

/// One zone of a request, checked as far as it can be without looking at the store.
private struct PreparedZoneFeed: Sendable {
    private let request: ZoneChangesRequest
    /// nil where the zone is refused.
    private(set) var address: DatabaseAddress?
    private var refusal: CloudError?
    private var limit = 0
    private var token: SyncToken?
    /// The same for participants.
    private var sharedToken: SharedSyncToken?
    private let viewer: String
    private let client: TokenClient?

    init(_ request: ZoneChangesRequest, _ scope: DatabaseScope, _ caller: Caller, _ seals: Seals) {
        self.request = request
        viewer = caller.authorRecordName
        client = TokenClient(caller)
        do throws(CloudError) {
            let address = try DatabaseAddress(scope, request.zoneID, caller)
            guard !request.zoneID.isDefault else {
                throw CloudError(.badRequest, "cannot get changes in default zone")
            }
            limit = try PageLimit.resolve(request.resultsLimit)
            try ZoneChangesRequest.check(request.desiredKeys, "desiredKeys")
            try ZoneChangesRequest.check(request.desiredRecordTypes, "desiredRecordTypes")
            if address.participant != nil {
                sharedToken = try request.syncToken.map { text throws(CloudError) in
                    try SharedSyncToken(text, for: address, seals)
                }
            } else {
                token = try request.syncToken.map { text throws(CloudError) in
                    try SyncToken(text, for: .zone, in: address.partition, seals)
                }
            }
            self.address = address
        } catch {
            refusal = error
        }
    }

    func refuse(to receiver: inout some ZoneChangesReceiver) {
        receiver.refuse(request.zoneID, refusal ?? CloudError(.internalError, "internal error"))
    }

    func tell(
        _ receiver: inout some ZoneChangesReceiver, _ budget: inout FeedBudget, _ seals: Seals,
        in transaction: any ReadTransaction
    ) throws {
        guard let address else { return refuse(to: &receiver) }
        guard address.participant == nil else {
            return try tellShared(address, &receiver, &budget, seals, in: transaction)
        }
        let (header, counters): (ZoneHeader, DatabaseCounters)
        do {
            (header, counters) = try state(address, in: transaction)
        } catch let error as CloudError {
            return receiver.refuse(address.zoneID, error)
        }
        var walk = FeedWalk(
            from: token?.position ?? .beginning(of: header.version), to: header.version, reverse: request.reverse)
        let isReverse = walk.isReverse
        receiver.begin(address.zoneID, expecting: limit)
        var reader = ZoneFeedReader(
            zoneID: address.zoneID, header: header, limit: limit, desiredKeys: request.desiredKeys,
            desiredTypes: request.desiredRecordTypes, in: transaction)
        reader.showing = RecordShowing(
            zoneID: address.zoneID, view: ZoneView(header: header, access: nil), viewer: viewer,
            transaction: transaction)
        try reader.tell(&receiver, &walk, &budget)
        let next = SyncToken(zone: header.number, position: walk.position, counters)
        receiver.end(
            syncToken: next.text(for: .zone, in: address.partition, seals), moreComing: !walk.isFinished,
            reverse: isReverse, clientChangeToken: try client?.token(in: header.number, transaction))
    }

    private func tellShared(
        _ address: DatabaseAddress, _ receiver: inout some ZoneChangesReceiver, _ budget: inout FeedBudget,
        _ seals: Seals, in transaction: any ReadTransaction
    ) throws {
        guard let view = try address.view(in: transaction), let access = view.access else {
            return receiver.refuse(address.zoneID, try address.zoneNotFound(in: transaction))
        }
        let counters = try DatabaseCounters.read(in: transaction)
        var reader = SharedFeedReader(address, view, access, request, limit: limit, in: transaction)
        var next = SharedSyncToken(zone: view.number, whole: access.whole, positions: [:], counters)
        if let sharedToken {
            do {
                try reader.check(sharedToken, counters)
            } catch let error as CloudError {
                return receiver.refuse(address.zoneID, error)
            }
            (next.positions, next.endings) = (sharedToken.positions, sharedToken.endings)
        }
        receiver.begin(address.zoneID, expecting: limit)
        let (isFinished, isReverse) = try reader.tell(&receiver, &next, &budget)
        receiver.end(
            syncToken: next.text(for: address, seals), moreComing: !isFinished, reverse: isReverse,
            clientChangeToken: try client?.token(in: view.number, transaction))
    }

    /// Where the zone is now.
    /// - Throws: `CloudError` if the feed cannot be told from the request's token on.
    private func state(
        _ address: DatabaseAddress, in transaction: any ReadTransaction
    ) throws -> (ZoneHeader, DatabaseCounters) {
        guard let header = try ZoneHeader.find(address.zoneID.zoneName, in: transaction) else {
            throw try CloudService.zoneNotFound(address.zoneID, in: transaction)
        }
        let counters = try DatabaseCounters.read(in: transaction)
        if let token {
            guard token.zone == header.number else { throw SyncToken.expired }
            try token.check(counters, top: header.version, purged: header.purgedVersion, in: transaction)
        }
        return (header, counters)
    }
}
