import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `records/resolve`: what links lead to, as the caller may see it; one result for each, in order.
    /// - Throws: what concerns the whole request: `authenticationRequired` without a user, `accessDenied` for
    ///   server-to-server keys, `badRequest` for more than ``ShareLimits/linksPerRequest``. In a link's place:
    ///   `notFound` for one that leads nowhere (any more), `accessDenied` for one that is not for the caller.
    public func resolveShareLinks(
        _ requests: [ShareLinkRequest], as caller: Caller
    ) async throws(CloudError) -> [ShareLinkResult] {
        try await forEachLink(requests, caller) { request, zone, visitor throws(CloudError) in
            try await self.reading(visitor.partition(of: zone)) { try visitor.look(request, zone, in: $0) }
        }
    }

    /// `records/accept`: lets the caller into shares; one result for each link, in order, as
    /// ``resolveShareLinks(_:as:)``. Accepting again changes nothing.
    public func acceptShareLinks(
        _ requests: [ShareLinkRequest], as caller: Caller
    ) async throws(CloudError) -> [ShareLinkResult] {
        let schema = try await schema(of: caller.context)
        return try await forEachLink(requests, caller) { request, zone, visitor throws(CloudError) in
            try await self.noteSharedZone(zone, of: visitor.user, in: caller.context)
            let commit = self.shareCommit(zone, schema, caller)
            let (link, outcome) = try await self.writing(visitor.partition(of: zone)) { transaction in
                let outcome = try visitor.accept(request, commit, in: transaction)
                return (try visitor.look(request, zone, in: transaction), outcome)
            }
            // Whatever forgot the note meanwhile: nobody saw the zone then.
            try await self.noteSharedZone(zone, of: visitor.user, in: caller.context)
            if let outcome { await self.deliver(outcome, of: visitor.partition(of: zone), in: caller.context) }
            return link
        }
    }

    /// `records/requestAccess`: tells owners that the caller wants to come in. Says nothing about whether a link leads
    /// anywhere, or to somebody who takes requests.
    public func requestShareAccess(_ shortGUIDs: [String], as caller: Caller) async throws(CloudError) {
        let schema = try await schema(of: caller.context)
        let requests = shortGUIDs.map { ShareLinkRequest(shortGUID: $0) }
        _ = try await forEachLink(requests, caller) { request, zone, visitor throws(CloudError) in
            let commit = self.shareCommit(zone, schema, caller)
            let outcome = try await self.writing(visitor.partition(of: zone)) {
                try visitor.ask(request, commit, in: $0)
            }
            if let outcome { await self.deliver(outcome, of: visitor.partition(of: zone), in: caller.context) }
            throw CloudError(.notFound, "")
        }
    }

    /// `records/decline`: takes the caller out of shares, whether they came in or were only invited; one result for each
    /// link, in order, as ``resolveShareLinks(_:as:)``, with what the caller was and the acceptance `removed`. Apple's
    /// protocol has no such operation.
    public func declineShareLinks(
        _ requests: [ShareLinkRequest], as caller: Caller
    ) async throws(CloudError) -> [ShareLinkResult] {
        let schema = try await schema(of: caller.context)
        return try await forEachLink(requests, caller) { request, zone, visitor throws(CloudError) in
            let commit = self.shareCommit(zone, schema, caller)
            let (link, outcome) = try await self.writing(visitor.partition(of: zone)) { transaction in
                let link = try visitor.look(request, zone, in: transaction)
                return (link, try visitor.decline(request, commit, in: transaction))
            }
            if let outcome { await self.deliver(outcome, of: visitor.partition(of: zone), in: caller.context) }
            var declined = link
            declined.acceptance = .removed
            return declined
        }
    }

    private func forEachLink(
        _ requests: [ShareLinkRequest], _ caller: Caller,
        _ body: (ShareLinkRequest, ShareGUID, ShareVisitor) async throws(CloudError) -> ShareLink
    ) async throws(CloudError) -> [ShareLinkResult] {
        _ = try Authorization.person(caller)
        guard requests.count <= ShareLimits.linksPerRequest else {
            throw CloudError(
                .badRequest,
                "Your request contains \(requests.count) links which is more than the maximum number of links in a "
                    + "single request (\(ShareLimits.linksPerRequest))")
        }
        let visitor = try await visitor(caller)
        var results: [ShareLinkResult] = []
        for request in requests {
            do throws(CloudError) {
                guard let zone = try await shareZone(request.shortGUID), zone.context == caller.context else {
                    throw ShareVisitor.notFound
                }
                results.append(.link(Boxed(try await body(request, zone, visitor))))
            } catch {
                results.append(.failed(shortGUID: request.shortGUID, error))
            }
        }
        return results
    }

    func visitor(_ caller: Caller) async throws(CloudError) -> ShareVisitor {
        let user = try Authorization.person(caller)
        return ShareVisitor(
            user: user, person: try await person(user, in: caller.context), context: caller.context,
            now: environment.now())
    }

    private func shareCommit(_ zone: ShareGUID, _ schema: Schema, _ caller: Caller) -> ShareCommit {
        ShareCommit(
            zoneID: ZoneID(zoneName: zone.zoneName, ownerRecordName: zone.owner), schema: schema, schemas: schemas,
            caller: caller, now: environment.now(), run: run, makeID: environment.random.uuid)
    }
}
