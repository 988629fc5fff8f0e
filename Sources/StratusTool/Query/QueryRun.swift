import StratusCloudModel
import StratusCloudServer
import StratusCloudWire

/// Asks a query and follows its pages.
struct QueryRun: Sendable {
    let database: ControlDatabase
    let request: QueryRecordsRequest
    /// Records wanted in all.
    let limit: Int

    /// The records, and whether there are more.
    func records(_ operation: any Operator) async throws(ToolError) -> (records: [Record], isComplete: Bool) {
        var request = request
        var records: [Record] = []
        repeat {
            request.resultsLimit = min(limit - records.count, ModelLimits.recordsPerResponse)
            let answer = try await operation.perform(.queryRecords(database: database, body: try body(request)))
            guard case .body(let body) = answer else { throw .unexpectedAnswer }
            do {
                let page = try ResponseDecoder().recordPage(Array(body.utf8))
                records += page.records
                request.continuationMarker = page.continuationMarker
            } catch {
                throw ToolError(error)
            }
        } while request.continuationMarker != nil && records.count < limit
        return (records, request.continuationMarker == nil)
    }

    /// How the first page is found.
    func explanation(_ operation: any Operator) async throws(ToolError) -> ControlExplanation {
        var request = request
        request.resultsLimit = min(limit, ModelLimits.recordsPerResponse)
        let answer = try await operation.perform(.explainQuery(database: database, body: try body(request)))
        guard case .explanation(let explanation) = answer else { throw .unexpectedAnswer }
        return explanation
    }

    private func body(_ request: QueryRecordsRequest) throws(ToolError) -> String {
        do {
            return String(decoding: try RequestEncoder().queryRecords(request), as: UTF8.self)
        } catch {
            throw ToolError(error)
        }
    }
}
