import StratusCloudModel
import StratusCloudService
import StratusCloudWire

extension WebServices {
    /// The change feeds.
    func performOnFeeds(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext
    ) async throws(CloudError) -> WebServiceAnswer {
        let encoder = ResponseEncoder(context: context)
        switch call.operation {
        case .zoneChanges:
            let decoded = try decoder.zoneChanges(body)
            var writer = try await service.zoneChanges(decoded.requests, in: call.scope, as: caller) {
                ZoneChangesWriter(encoder, options: decoded.options)
            }
            return WebServiceAnswer(writer.finish(), records: writer.changes, refusals: writer.refusals)
        case .recordChanges:
            let decoded = try decoder.recordChanges(body)
            let page = try await service.recordChanges(decoded.request, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: decoded.options).recordChanges(page),
                records: page.changes.count)
        case .publicChanges:
            let decoded = try decoder.publicChanges(body)
            let page = try await service.publicChanges(decoded.request, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: decoded.options).publicChanges(page),
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
