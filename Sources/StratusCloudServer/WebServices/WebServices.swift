import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport
import StratusWorkers

/// The web services: who asks, what, and the answer. Every rule is the service's.
struct WebServices: Sendable {
    let service: CloudService
    let address: PublicAddress
    let decoder: RequestDecoder
    private let refusalDelay = RefusalDelay()
    private let ratePolicy: String
    private let pool: WorkerPool
    private let fairShare: FairShare

    init(
        service: CloudService, address: PublicAddress, bodyLimit: Int, pool: WorkerPool, fairShare: FairShare
    ) {
        self.pool = pool
        self.fairShare = fairShare
        self.service = service
        self.address = address
        ratePolicy = service.configuration.rates.policy
        decoder = RequestDecoder(
            bodyLimit: bodyLimit, operationLimit: service.configuration.nativeOperationsPerRequest)
    }

    /// Answers one request.
    func respond(to request: HTTPRequest, _ call: WebServiceCall, requestUUID: String) async -> WebServiceAnswer {
        let meaning = TargetMeaning.of(request.head)
        let parameters = meaning.parameters
        let credentials = Credentials(
            request, meaning.tokens, isMutating: call.operation.isMutating,
            source: address.network(of: request.head))
        var authentication: Authentication
        do {
            authentication = try await service.authenticate(credentials, for: call.context)
        } catch {
            if error.code == .throttled { await refusalDelay.wait() }
            return refusal(error, request.head, signInState: nil, requestUUID: requestUUID)
        }
        authentication.caller.clientID = parameters.clientID
        authentication.caller.isNative = parameters.isNative
        authentication.caller.trace = RequestTrace.context
        var answer = await respond(
            to: request, call, as: authentication.caller, signInState: authentication.signInState,
            wantsSyncToken: parameters.getCurrentSyncToken, requestUUID: requestUUID)
        answer.webAuthToken = authentication.renewedWebAuthToken
        if case .user(let name) = authentication.caller.principal { answer.userRecordName = name }
        return answer
    }

    /// Why the body of a request is not read, as far as its head says who sends it; nil if it is.
    func refusalOfBody(
        of head: HTTPRequestHead, _ call: WebServiceCall, requestUUID: String
    ) async -> WebServiceAnswer? {
        let credentials = Credentials(
            HTTPRequest(head: head), TargetMeaning.of(head).tokens, isMutating: call.operation.isMutating,
            source: address.network(of: head))
        do {
            try await service.checkSender(of: credentials, for: call.context)
            return nil
        } catch {
            return refusal(error, head, signInState: nil, requestUUID: requestUUID)
        }
    }

    /// Answers a request whose sender is known.
    /// - Parameters:
    ///   - signInState: for who needs to sign in first.
    ///   - wantsSyncToken: Whether the state of a zone comes with its records.
    func respond(
        to request: HTTPRequest, _ call: WebServiceCall, as caller: Caller, signInState: String? = nil,
        wantsSyncToken: Bool = false, requestUUID: String
    ) async -> WebServiceAnswer {
        let content = RequestContent(request)
        var context = WireContext(callerRecordName: caller.userRecordName, requestUUID: requestUUID)
        context.showAsset = assetShower(for: request.head, call.scope, caller)
        var answer: WebServiceAnswer
        do {
            let client = caller.userRecordName ?? address.network(of: request.head)
            let isQuick = request.head.hasBody(upTo: TargetMeaning.of(request.head).largestQuickBody)
            let weight = isQuick && !call.operation.isMutating ? ServerLimits.quickReadWeight : 1
            let share = await fairShare.take(weight + content.size / ServerLimits.sharedBodySize, for: client)
            defer { fairShare.giveBack(share) }
            let context = context
            if !isQuick, let lane = lane(of: client) {
                answer = try await withTaskExecutorPreference(lane) {
                    // A preference alone counts from the next wait on only; the lane is for the work itself.
                    await Task.yield()
                    return try await carryOut(
                        call, content, caller, context, request.head, wantsSyncToken: wantsSyncToken)
                }
            } else {
                answer = try await carryOut(
                    call, content, caller, context, request.head, wantsSyncToken: wantsSyncToken)
            }
        } catch {
            let error = error as? CloudError ?? CloudError(.internalError, "internal error")
            if error.code == .throttled { await refusalDelay.wait() }
            answer = refusal(error, request.head, signInState: signInState, requestUUID: requestUUID)
        }
        service.charge(answer.cost + RequestCost(bytes: answer.body.count), to: caller)
        return answer
    }

    /// Where work for a client that is not quick waits its turn; nil for what is done at once, wherever it is, while nobody
    /// else's work waits. It would be its turn at once, but on a thread that has to be woken.
    private func lane(of client: String) -> (any TaskExecutor)? {
        if WorkerPool.isCurrentThread, !pool.hasWaitingWork { return nil }
        return pool.lane(for: client)
    }

    private func carryOut(
        _ call: WebServiceCall, _ content: RequestContent, _ caller: Caller, _ context: WireContext,
        _ head: HTTPRequestHead, wantsSyncToken: Bool
    ) async throws -> WebServiceAnswer {
        let body = try content.decoded(limit: decoder.bodyLimit)
        // What its sender's earlier requests cost is known now.
        try service.admit(RequestCost(bytes: body.count), of: caller)
        return try await RequestTrace.$uuid.withValue(context.requestUUID) {
            if call.operation.isAboutDevices { return try await registerDevice(call, body, caller, head) }
            return try await perform(call, body, caller, context, head, wantsSyncToken: wantsSyncToken)
        }
    }

    private func perform(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext, _ head: HTTPRequestHead,
        wantsSyncToken: Bool
    ) async throws(CloudError) -> WebServiceAnswer {
        switch call.operation {
        case .queryRecords, .lookupRecords, .modifyRecords:
            return try await performOnRecords(call, body, caller, context, wantsSyncToken: wantsSyncToken)
        case .recordChanges, .zoneChanges, .databaseChanges, .publicChanges, .zonesChanges:
            return try await performOnFeeds(call, body, caller, context)
        case .listZones:
            let options = try decoder.listZones(body)
            let zones = try await service.listZones(in: call.scope, as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context, options: options).listZones(zones))
        case .lookupZones:
            let zoneIDs = try decoder.lookupZones(body)
            let results = try await service.lookupZones(zoneIDs, in: call.scope, as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).zones(results), refusals: results.refusals)
        case .modifyZones:
            let operations = try decoder.modifyZones(body)
            service.charge(RequestCost(operations: operations.count), to: caller)
            let results = try await service.modifyZones(operations, in: call.scope, as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).zones(results), refusals: results.refusals)
        case .webAuthToken, .discoverUsers, .lookupUsersByEmail, .lookupUsersByPhone, .lookupUsersByID, .lookupContacts:
            return try await performOnUsers(call.operation, body, caller, ResponseEncoder(context: context))
        case .listSubscriptions, .lookupSubscriptions, .modifySubscriptions, .createToken, .registerToken:
            return try await performOnSubscriptions(call, body, caller, context)
        case .caller:
            let user = try await service.currentUser(as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).caller(user))
        case .currentUser:
            let user = try await service.currentUser(as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).currentUser(user))
        case .fileRoom:
            let room = try await service.fileRoom(as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).fileRoom(room))
        case .uploadAssets, .rereferenceAssets:
            return try await performOnAssets(call, body, caller, context, head)
        case .publishFile, .listPublications, .unpublishFile:
            return try await performOnPublications(call, body, caller, context, head)
        case .resolveShares, .acceptShares, .declineShares, .requestAccess, .sendInvitations, .listInvitations:
            return try await performOnShares(call.operation, body, caller, context, head)
        case .lookupShares, .updateShareKeys:
            return try await performOnShareKeys(call, body, caller, context)
        }
    }

    private func performOnRecords(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext, wantsSyncToken: Bool
    ) async throws(CloudError) -> WebServiceAnswer {
        func syncToken(_ zoneID: ZoneID?) async -> String? {
            wantsSyncToken ? await self.syncToken(of: zoneID ?? .default, call.scope, caller) : nil
        }
        switch call.operation {
        case .queryRecords:
            let decoded = try decoder.queryRecords(body)
            let page = try await service.queryRecords(decoded.request, in: call.scope, as: caller)
            let isOfOneZone = decoded.request.zoneID != nil || !decoded.request.zoneWide
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: decoded.options).queryRecords(
                    page, syncToken: isOfOneZone ? await syncToken(decoded.request.zoneID) : nil),
                records: Self.recordsRead(for: page, decoded.request))
        case .modifyRecords:
            let decoded = try decoder.modifyRecords(body)
            service.charge(RequestCost(operations: decoded.request.operations.count), to: caller)
            let results = try await service.modifyRecords(decoded.request, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: decoded.options).modifyRecords(
                    results, syncToken: await syncToken(decoded.request.zoneID)),
                refusals: results.refusals)
        default:
            let decoded = try decoder.lookupRecords(body)
            let results = try await service.lookupRecords(decoded.request, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: decoded.options).lookupRecords(
                    results, syncToken: await syncToken(decoded.request.zoneID)),
                records: results.count, refusals: results.refusals)
        }
    }

    /// A page that ends before its end has read as much as a whole one, whatever it found.
    private static func recordsRead(for page: QueryRecordsPage, _ request: QueryRecordsRequest) -> Int {
        if page.continuationMarker == nil { return page.records.count }
        return max(page.records.count, request.resultsLimit ?? ModelLimits.recordsPerResponse)
    }

    /// The state of a zone for an answer that is complete without it: a failure here must not hide what was done.
    private func syncToken(of zoneID: ZoneID, _ scope: DatabaseScope, _ caller: Caller) async -> String? {
        guard let results = try? await service.lookupZones([zoneID], in: scope, as: caller),
            case .zone(let zone)? = results.first
        else { return nil }
        return zone.syncToken
    }

    private func refusal(
        _ error: CloudError, _ head: HTTPRequestHead, signInState: String?, requestUUID: String
    ) -> WebServiceAnswer {
        guard error.code == .authenticationRequired, let signInState else {
            var answer = WebServiceAnswer(refusing: error, requestUUID: requestUUID)
            if error.code == .throttled { answer.ratePolicy = ratePolicy }
            return answer
        }
        guard let base = address.base(for: head) else {
            return WebServiceAnswer(
                refusing: CloudError(.badRequest, "the Host header names no host"), requestUUID: requestUUID)
        }
        return WebServiceAnswer(
            refusing: error, redirectURL: "\(base)/sign-in?state=\(signInState)", requestUUID: requestUUID)
    }
}

extension [RecordResult] {
    /// Why items were refused.
    fileprivate var refusals: [CloudError] {
        compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
    }
}

extension [ZoneResult] {
    /// Why items were refused.
    fileprivate var refusals: [CloudError] {
        compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
    }
}
