import StratusHTTPTransport
import StratusWorkers

/// Threads for clients, which block.
let clientPool = WorkerPool(threads: 48)
/// Threads for the handlers of all servers of the tests.
let handlerPool = WorkerPool(threads: 8)

/// Runs a client's story on a thread that may block.
func client<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await clientPool.run(body)
}

/// A handler made of closures.
struct ClosureHandler: HTTPHandler {
    var policy: @Sendable (HTTPRequestHead) -> BodyPolicy = { _ in .buffered(limit: 1_000_000) }
    var refusal: @Sendable (HTTPRequestHead) async -> HTTPResponse? = { _ in nil }
    /// What a client is counted by.
    var counted: @Sendable (HTTPRequestHead) -> String = { $0.headers["X-Client"] ?? $0.remoteAddress }
    var quick: @Sendable (HTTPRequestHead, _ isAlone: Bool) -> Bool = { _, _ in false }
    var answer: @Sendable (HTTPRequest) async -> HTTPResponse

    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { policy(head) }
    func refusalOfBody(of head: HTTPRequestHead) async -> HTTPResponse? { await refusal(head) }
    func client(of head: HTTPRequestHead) -> String { counted(head) }
    func isQuick(_ head: HTTPRequestHead, isAlone: Bool) -> Bool { quick(head, isAlone) }
    func respond(to request: HTTPRequest) async -> HTTPResponse { await answer(request) }

    /// Answers with method, target and body.
    static let echo = ClosureHandler { request in
        let text = "\(request.head.method) \(request.head.target) "
        return HTTPResponse(status: 200, body: .bytes(Array(text.utf8) + request.body.bytes))
    }

    static func streaming(
        limit: Int64 = .max, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) -> ClosureHandler {
        ClosureHandler(policy: { _ in .streamed(limit: limit) }, answer: answer)
    }
}

/// Runs `body` with a started server on a free port, and stops the server.
func withServer<Result>(
    _ handler: any HTTPHandler, limits: HTTPServerLimits = HTTPServerLimits(),
    tls: HTTPServerConfiguration.TLS? = nil,
    _ body: (HTTPServer, UInt16) async throws -> Result
) async throws -> Result {
    var limits = limits
    limits.drainGrace = .zero
    let configuration = HTTPServerConfiguration(
        address: .network(host: "127.0.0.1", port: 0), tls: tls, limits: limits)
    let server = HTTPServer(configuration: configuration, executor: handlerPool, handler: handler)
    let port = try server.start()
    do {
        let result = try await body(server, port)
        await server.stop(drainingFor: .seconds(5))
        return result
    } catch {
        await server.stop(drainingFor: .zero)
        throw error
    }
}

/// Something that happens once, and can be awaited.
actor Event<Value: Sendable> {
    private var value: Value?
    private var waiters: [CheckedContinuation<Value, Never>] = []

    func happen(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        for waiter in waiters { waiter.resume(returning: value) }
        waiters = []
    }

    func wait() async -> Value {
        if let value { return value }
        return await withCheckedContinuation { waiters.append($0) }
    }
}

/// Hands something from a client's thread to the test, which goes on with it alone.
// @unchecked Sendable: never used by two at a time.
struct UncheckedBox<Value>: @unchecked Sendable { let value: Value }
