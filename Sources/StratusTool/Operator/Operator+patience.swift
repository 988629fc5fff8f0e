import StratusCloudModel
import StratusCloudServer

extension Operator {
    /// The answer to a request, which is sent again for a while if it is to be tried again later.
    func patientAnswer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
        var pause = Duration.milliseconds(100)
        for _ in 1..<ImportLimits.attempts {
            let response = try await answer(to: request)
            guard case .failed(let failure) = response, failure.error.code.passes else { return response }
            // A sleep that is cut short only makes the next attempt earlier.
            try? await Task.sleep(for: pause)
            pause *= 2
        }
        return try await answer(to: request)
    }
}
