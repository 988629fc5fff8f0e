import StratusCloudModel
import StratusCloudServer
import StratusCloudStore

/// Does operator commands: in a running server through its control socket, or on the data of a stopped one.
protocol Operator: Sendable {
    /// - Throws: ``ToolError`` if the command did not reach anybody; refusals are answers.
    func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse

    /// Releases what the operator holds.
    func close() async
}

extension Operator {
    /// The answer to a request, refusals as errors.
    func perform(_ request: ControlRequest) async throws(ToolError) -> ControlResponse {
        let response = try await answer(to: request)
        switch response {
        case .failed(let failure): throw ToolError(failure)
        case .storeFailed(let code, let message):
            throw ToolError(message, code: StoreError.Code(rawValue: code)?.errorWord ?? "FAILED")
        default: return response
        }
    }
}

extension ToolError {
    /// A refusal; where only the log tells more, with the identifier to look for there.
    init(_ failure: ControlFailure) {
        guard failure.error.code == .internalError, let uuid = failure.uuid else {
            self.init(failure.error)
            return
        }
        self.init("\(failure.reason) (uuid \(uuid))", code: failure.code)
    }

    /// An answer of another kind than the request has.
    static let unexpectedAnswer = ToolError(
        "the server sent an unexpected response; check that the server and the tool have the same version")
}
