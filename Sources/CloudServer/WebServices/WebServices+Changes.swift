import CloudModel
import CloudService
import CloudWire

extension WebServices {
    /// The change feeds.
    func performOnFeeds(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext
    ) async throws(CloudError) -> WebServiceAnswer {
        let encoder = ResponseEncoder(context: context)
        switch call.operation {
        case .zoneChanges:
            let decoded = try decoder.zoneChanges(body)
            let results = try await service.zoneChanges(decoded.requests, in: call.scope, as: caller)
            return WebServiceAnswer(
                encoder.zoneChanges(results, options: decoded.options), records: results.recordsRead,
                refusals: results.refusals)
        case .recordChanges:
            let decoded = try decoder.recordChanges(body)
            let page = try await service.recordChanges(decoded.request, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: decoded.options).recordChanges(page),
                records: page.changes.count)
        case .zonesChanges:
            let page = try await service.databaseChanges(decoder.zonesChanges(body), in: call.scope, as: caller)
            return WebServiceAnswer(encoder.zonesChanges(page), records: page.zones.count)
        default:
            let page = try await service.databaseChanges(decoder.databaseChanges(body), in: call.scope, as: caller)
            return WebServiceAnswer(encoder.databaseChanges(page), records: page.zones.count)
        }
    }
}

extension [ZoneChangesResult] {
    /// Records and deletions in the pages.
    fileprivate var recordsRead: Int {
        reduce(0) { sum, result in if case .page(_, let page) = result { sum + page.changes.count } else { sum } }
    }

    /// Why items were refused.
    fileprivate var refusals: [CloudError] {
        compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
    }
}
