import StratusHTTPTransport
import StratusWorkers

/// The server of a push service: writes down what it gets and answers as it is told, else with a success.
final class TestService: Sendable {
    struct Answer: Sendable {
        var status: Int
        var headers: [(String, String)] = []
        var body = ""
    }

    struct Received: Sendable {
        let head: HTTPRequestHead
        let body: [UInt8]
    }

    let port: UInt16
    private let server: HTTPServer
    private let received: AsyncStream<Received>

    init(success: Int, tls: HTTPServerConfiguration.TLS? = nil, _ answers: [Answer] = []) throws {
        let (stream, continuation) = AsyncStream<Received>.makeStream()
        received = stream
        server = HTTPServer(
            configuration: HTTPServerConfiguration(
                address: .network(host: "127.0.0.1", port: 0), tls: tls, ioThreads: 1),
            executor: WorkerPool(threads: 1),
            handler: Handler(answers: Lock(answers), success: Answer(status: success), received: continuation))
        port = try server.start()
    }

    /// The next request, awaited.
    func next() async -> Received? {
        for await request in received { return request }
        return nil
    }

    func stop() async { await server.stop(drainingFor: .zero) }

    private struct Handler: HTTPHandler {
        let answers: Lock<[Answer]>
        let success: Answer
        let received: AsyncStream<Received>.Continuation

        func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { .buffered(limit: 1 << 20) }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            received.yield(Received(head: request.head, body: request.body.bytes))
            let answer = answers.withLock { $0.isEmpty ? success : $0.removeFirst() }
            return HTTPResponse(
                status: answer.status, headers: answer.headers, body: .bytes(Array(answer.body.utf8)))
        }
    }
}
