import StratusCloudModel
import StratusCloudService
import StratusCloudWire

/// Queries of the operator.
extension ControlService {
    func query(_ database: ControlDatabase, _ body: String) async throws(CloudError) -> ControlResponse {
        let (scope, caller) = try await access(to: database)
        let request = try RequestDecoder().queryRecords(Array(body.utf8)).request
        let page = try await service.queryRecords(request, in: scope, as: caller)
        return Self.body(Self.encoder(caller).queryRecords(page))
    }

    func explain(_ database: ControlDatabase, _ body: String) async throws(CloudError) -> ControlResponse {
        let (scope, caller) = try await access(to: database)
        let request = try RequestDecoder().queryRecords(Array(body.utf8)).request
        let explanation = try await service.explainQuery(request, in: scope, as: caller).explanation
        return .explanation(
            ControlExplanation(
                plan: explanation.plan, ranges: explanation.ranges, keysRead: explanation.keysRead,
                recordsRead: explanation.recordsRead, recordsReturned: explanation.recordsReturned))
    }
}
