import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

extension WebServices {
    /// Share links. They stand in the public database's path and lead into private ones.
    func performOnShares(
        _ operation: WebServiceOperation, _ body: [UInt8], _ caller: Caller, _ context: WireContext,
        _ head: HTTPRequestHead
    ) async throws(CloudError) -> WebServiceAnswer {
        if operation == .sendInvitations {
            let invitations = try decoder.shareInvitations(body)
            service.charge(RequestCost(operations: invitations.participantIDs.count), to: caller)
            try await service.sendInvitations(
                of: invitations.shortGUID, to: invitations.participantIDs, as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).shareInvitations(invitations.participantIDs))
        }
        if operation == .listInvitations {
            let results = try await service.shareInvitations(as: caller)
            service.charge(RequestCost(operations: results.count), to: caller)
            return answer(results, context, head)
        }
        let requests = try decoder.shareLinks(body)
        service.charge(RequestCost(operations: requests.count), to: caller)
        if operation == .requestAccess {
            let shortGUIDs = requests.map(\.shortGUID)
            try await service.requestShareAccess(shortGUIDs, as: caller)
            return WebServiceAnswer(ResponseEncoder(context: context).accessRequests(shortGUIDs))
        }
        let results: [ShareLinkResult]
        switch operation {
        case .acceptShares: results = try await service.acceptShareLinks(requests, as: caller)
        case .declineShares: results = try await service.declineShareLinks(requests, as: caller)
        default: results = try await service.resolveShareLinks(requests, as: caller)
        }
        return answer(results, context, head)
    }

    private func answer(
        _ results: [ShareLinkResult], _ context: WireContext, _ head: HTTPRequestHead
    ) -> WebServiceAnswer {
        // Addresses of assets are made for a database that one may read, which whoever only looks may not yet.
        var plain = context
        plain.showAsset = nil
        let base = address.base(for: head)
        return WebServiceAnswer(
            ResponseEncoder(context: plain).shareLinks(results) { shortGUID in base.map { "\($0)/share/\(shortGUID)" }
            },
            refusals: results.compactMap { if case .failed(_, let error) = $0 { error } else { nil } })
    }

    /// What is kept with shares for encrypted values.
    func performOnShareKeys(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext
    ) async throws(CloudError) -> WebServiceAnswer {
        let answer: SharesAnswer
        if call.operation == .updateShareKeys {
            let update = try decoder.shareKeysUpdate(body)
            service.charge(RequestCost(operations: 1), to: caller)
            answer = try await service.updateShareKeys(update, in: call.scope, as: caller)
        } else {
            let request = try decoder.shares(body)
            answer = try await service.shares(request, in: call.scope, as: caller)
        }
        return WebServiceAnswer(ResponseEncoder(context: context).shares(answer), records: answer.shares.count)
    }
}
