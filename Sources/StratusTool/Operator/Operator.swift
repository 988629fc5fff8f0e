import CloudModel
import CloudServer

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
        if case .failed(let failure) = response { throw ToolError(failure.error) }
        return response
    }
}

extension ToolError {
    /// An answer of another kind than the request has.
    static let unexpectedAnswer = ToolError("the server gave an unexpected answer; is it of the tool's version?")
}
