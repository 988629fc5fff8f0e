import CloudModel
import CloudStore

extension CloudService {
    /// `changes/zone`: a page of each zone's changes, in the order of the request; each zone stands alone.
    ///
    /// All pages are of one moment. Pages end early, with more to come, where the request would read more than
    /// ``ServiceLimits/recordsPerFeedRequest`` records or ``ServiceLimits/feedRequestSize``.
    /// - Throws: what concerns the whole request: `badRequest` in the public database or for too many zones, the errors
    ///   of ``Authorization/checkDatabase(_:_:)``. In a zone's place: `zoneNotFound`, `badRequest` for the default zone,
    ///   a `resultsLimit` below 1, or a token that cannot be continued, which carries
    ///   ``CloudError/ExtensionCode/changeTokenExpired``.
    public func zoneChanges(
        _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [ZoneChangesResult] {
        try Self.checkFeeds(in: scope, caller)
        guard requests.count <= ServiceLimits.zonesPerFeedRequest else {
            throw CloudError(
                .badRequest,
                "Your request contains \(requests.count) zones which is more than the maximum number of zones in a "
                    + "single request (\(ServiceLimits.zonesPerFeedRequest))")
        }
        let prepared = requests.map { PreparedZoneFeed($0, scope, caller, seals) }
        guard let partition = prepared.lazy.compactMap(\.address?.partition).first else {
            return prepared.map(\.refusedResult)
        }
        return try await reading(partition) { [seals] transaction in
            var budget = FeedBudget()
            return try prepared.map { try $0.result(&budget, seals, in: transaction) }
        }
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

    init(_ request: ZoneChangesRequest, _ scope: DatabaseScope, _ caller: Caller, _ seals: Seals) {
        self.request = request
        do throws(CloudError) {
            let address = try DatabaseAddress(scope, request.zoneID, caller)
            guard !request.zoneID.isDefault else {
                throw CloudError(.badRequest, "cannot get changes in default zone")
            }
            limit = try PageLimit.resolve(request.resultsLimit)
            try Self.check(request.desiredKeys, "desiredKeys")
            try Self.check(request.desiredRecordTypes, "desiredRecordTypes")
            token = try request.syncToken.map { text throws(CloudError) in
                try SyncToken(text, for: .zone, in: address.partition, seals)
            }
            self.address = address
        } catch {
            refusal = error
        }
    }

    private static func check(_ names: [String]?, _ key: String) throws(CloudError) {
        guard let count = names?.count, count > ModelLimits.desiredNames else { return }
        throw CloudError(
            .badRequest, "\(key) has \(count) names, which is more than the maximum of \(ModelLimits.desiredNames)")
    }

    var refusedResult: ZoneChangesResult {
        .failed(request.zoneID, refusal ?? CloudError(.internalError, "internal error"))
    }

    func result(
        _ budget: inout FeedBudget, _ seals: Seals, in transaction: any ReadTransaction
    ) throws -> ZoneChangesResult {
        guard let address else { return refusedResult }
        do {
            return .page(address.zoneID, try page(address, &budget, seals, in: transaction))
        } catch let error as CloudError {
            return .failed(address.zoneID, error)
        }
    }

    private func page(
        _ address: DatabaseAddress, _ budget: inout FeedBudget, _ seals: Seals, in transaction: any ReadTransaction
    ) throws -> ZoneChangesPage {
        guard let header = try ZoneHeader.find(address.zoneID.zoneName, in: transaction) else {
            throw try CloudService.zoneNotFound(address.zoneID, in: transaction)
        }
        let counters = try DatabaseCounters.read(in: transaction)
        if let token {
            guard token.zone == header.number else { throw SyncToken.expired }
            try token.check(counters, top: header.version, purged: header.purgedVersion, in: transaction)
        }
        var walk = FeedWalk(
            from: token?.position ?? .beginning(of: header.version), to: header.version, reverse: request.reverse)
        let isReverse = walk.isReverse
        let reader = ZoneFeedReader(
            zoneID: address.zoneID, header: header, limit: limit, desiredKeys: request.desiredKeys,
            desiredTypes: request.desiredRecordTypes.map(Set.init), transaction: transaction)
        let changes = try reader.changes(&walk, &budget)
        let next = SyncToken(zone: header.number, position: walk.position, counters)
        return ZoneChangesPage(
            changes: changes, syncToken: next.text(for: .zone, in: address.partition, seals),
            moreComing: !walk.isFinished, reverse: isReverse)
    }
}
