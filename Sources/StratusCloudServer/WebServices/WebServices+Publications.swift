import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

extension WebServices {
    /// `files/publish`, `files/published` and `files/unpublish`: for the files of the caller's private database.
    func performOnPublications(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext, _ head: HTTPRequestHead
    ) async throws(CloudError) -> WebServiceAnswer {
        // First, so that a stranger learns nothing but that.
        try service.requirePerson(caller)
        guard call.scope == .private else {
            throw CloudError(.badRequest, "only files of the private database are published")
        }
        service.charge(RequestCost(operations: 1), to: caller)
        let encoder = ResponseEncoder(context: context)
        switch call.operation {
        case .publishFile:
            let base = try address.requiredBase(for: head)
            let request = try decoder.publishFile(body)
            var file = try await service.publishFile(
                named: request.recordName, lifetime: request.lifetime, as: caller)
            file.url = PublishedAddress.url(of: file, base: base)
            return WebServiceAnswer(encoder.publication(file))
        case .unpublishFile:
            let id = try decoder.unpublishFile(body)
            try await service.unpublishFile(id: id, as: caller)
            return WebServiceAnswer(encoder.unpublished(id))
        default: return WebServiceAnswer(encoder.publications(try await service.publishedFiles(as: caller)))
        }
    }
}
