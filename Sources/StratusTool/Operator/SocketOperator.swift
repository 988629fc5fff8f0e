import StratusCloudServer
import StratusHTTPClient

/// Talks to a running server through its control socket.
final class SocketOperator: Operator {
    private let client: HTTPClient

    init(socket: String) {
        var options = HTTPClientOptions()
        options.unixSocketPath = socket
        options.connectTimeout = .seconds(5)
        // Deleting a zone, or a batch behind many others, may take its time.
        options.timeout = .seconds(600)
        options.maximumResponseLength = ControlEndpoint.bodyLimit
        client = HTTPClient(options: options)
    }

    func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
        do {
            let call = HTTPClientRequest(
                method: "POST", url: "http://localhost" + ControlEndpoint.target,
                headers: ["Content-Type": "application/json"], body: try ControlCoding.encode(request),
                timeout: request.patience)
            let response = try await client.send(call)
            guard response.status != 503 else { throw ToolError.busyServer }
            guard response.status == 200 else { throw ToolError("the server answered with status \(response.status)") }
            return try ControlCoding.decodeResponse(response.body)
        } catch let error as ToolError {
            throw error
        } catch let error as HTTPClientError where error.code == .cannotConnect {
            throw .noServer
        } catch {
            throw ToolError("the control socket of the server failed: \(error)")
        }
    }

    func close() async {}
}

extension ControlRequest {
    /// How long its answer may take; nil for what all others may. What reads everything takes as long as that takes.
    fileprivate var patience: Duration? {
        switch self {
        case .backUp, .verify, .checkConsistency, .person, .schema, .describeContainer, .deleteContainer:
            .seconds(24 * 3_600)
        default: nil
        }
    }
}

extension ToolError {
    /// Nobody listens on the control socket.
    static let noServer = ToolError("no server listens on the control socket", code: noServerCode)
    static let noServerCode = "NO_SERVER"

    /// The server is stopping, or answers as many commands as it can.
    static let busyServer = ToolError("the server is stopping or busy with other commands", code: busyServerCode)
    static let busyServerCode = "BUSY"
}
