import FoundationEssentials
import StratusCloudService
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

/// The control socket of a running server: operator commands as JSON over HTTP on a unix-domain socket that only the
/// server's own user can open. Who can open it is the operator; nothing else is asked for.
public final class ControlEndpoint: Sendable {
    /// Where commands are posted to.
    public static let target = "/control"
    /// Bytes of a command or an answer: a whole request of the web services, escaped.
    public static let bodyLimit = 64 * 1_048_576
    /// Commands that may be connected at a time; another one is answered 503, and the tool tries again for a while.
    public static let connectionLimit = 64

    private let server: HTTPServer
    private let socket: ControlSocket

    /// An endpoint that is not started yet.
    /// - Parameter cloud: the server in whose statistics the commands are counted.
    public init(
        _ control: ControlService, of cloud: CloudServer, socket: ControlSocket, pool: WorkerPool, logger: Logger
    ) {
        self.socket = socket
        var limits = HTTPServerLimits()
        limits.connections = Self.connectionLimit
        server = HTTPServer(
            configuration: HTTPServerConfiguration(
                address: .unixSocket(path: socket.path), ioThreads: 1, limits: limits),
            executor: pool, handler: ControlHandler(control: control, meter: cloud.meter, logger: logger))
    }

    /// Listens. A socket that a crashed server left is replaced.
    public func start() throws(HTTPServerError) { _ = try server.start() }

    /// Finishes what is under way, at most `patience`, and removes the socket.
    public func stop(drainingFor patience: Duration) async {
        await server.stop(drainingFor: patience)
        socket.remove()
    }
}

/// Decodes commands, has them done, encodes the answers.
private struct ControlHandler: HTTPHandler {
    let control: ControlService
    let meter: ContextMeter
    let logger: Logger
    let identifiers = RequestIdentifiers()

    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { .buffered(limit: ControlEndpoint.bodyLimit) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard request.head.method == "POST", request.head.path == ControlEndpoint.target else {
            return HTTPResponse(status: 404)
        }
        let uuid = identifiers.make()
        var response: ControlResponse
        do {
            let command = try ControlCoding.decode(request.body.bytes)
            response = await RequestTrace.$uuid.withValue(uuid) { await perform(command) }
        } catch {
            response = .failed(error)
        }
        switch response {
        case .failed(var failure):
            failure.uuid = uuid
            response = .failed(failure)
        case .storeFailed(let code, let message):
            logger.error(
                "the store failed at a command of the operator",
                ["uuid": .string(uuid), "code": .string(code), "error": .string(message)])
        default: break
        }
        do {
            let body = try ControlCoding.encode(response)
            return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: .bytes(body))
        } catch {
            logger.error(
                "a control response could not be encoded", ["uuid": .string(uuid), "error": .string("\(error)")])
            return HTTPResponse(status: 500)
        }
    }

    /// Has a command carried out, and counts it for the environment that it is about.
    private func perform(_ command: ControlRequest) async -> ControlResponse {
        let start = ContinuousClock.now
        let response = await control.perform(command)
        guard let subject = command.subject else { return response }
        meter.recordTool(
            subject.operation, microseconds: (ContinuousClock.now - start).microseconds, failed: response.isFailure,
            in: subject.context)
        return response
    }
}
