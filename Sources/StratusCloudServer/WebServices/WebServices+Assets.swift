import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

extension WebServices {
    /// `assets/upload` and `assets/rereference`.
    func performOnAssets(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext, _ head: HTTPRequestHead
    ) async throws(CloudError) -> WebServiceAnswer {
        let encoder = ResponseEncoder(context: context)
        if call.operation == .rereferenceAssets {
            let request = try decoder.rereferenceAssets(body)
            service.charge(RequestCost(operations: request.items.count), to: caller)
            let results = try await service.rereferenceAssets(request, in: call.scope, as: caller)
            return WebServiceAnswer(
                encoder.rereferenceAssets(results),
                refusals: results.compactMap { if case .failed(_, let error) = $0 { error } else { nil } })
        }
        guard let base = address.base(for: head) else {
            throw CloudError(.badRequest, "the Host header names no host")
        }
        let request = try decoder.uploadAssets(body)
        service.charge(RequestCost(operations: request.items.count), to: caller)
        let results = try await service.makeUploadPlaces(request, in: call.scope, as: caller) { ticket in
            AssetAddress.upload(ticket, base: base)
        }
        return WebServiceAnswer(
            encoder.uploadAssets(results),
            refusals: results.compactMap { if case .failed(_, _, let error) = $0 { error } else { nil } })
    }

    /// Shows the assets in an answer with the addresses of their bytes.
    func assetShower(
        for head: HTTPRequestHead, _ scope: DatabaseScope, _ caller: Caller
    ) -> WireContext.AssetShower {
        let (service, address) = (service, address)
        return { asset, fieldName, recordName, zoneID in
            service.answered(asset, of: fieldName, in: recordName, zoneID, scope, to: caller) { ticket in
                address.base(for: head).map { AssetAddress.download(ticket, base: $0) }
            }
        }
    }
}
