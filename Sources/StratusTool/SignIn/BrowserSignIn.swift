import FoundationEssentials
import StratusCloudCrypto
import StratusCloudService
import StratusHTTPClient
import StratusHTTPTransport
import StratusWorkers

/// Signs in through the browser: opens the server's page, and waits at the loopback address for the code that it brings.
struct BrowserSignIn: Sendable {
    let client: SignInClient
    /// The address of the sign-in page.
    let page: String
    /// Told where a browser has to go, before one is opened.
    let show: @Sendable (String) -> Void
    /// How long a person may take: as long as the page is good.
    var patience = Duration.milliseconds(ServiceLimits.signInLifetime)

    /// - Throws: what the server said to the code, or that nobody came.
    func session() async throws(ToolError) -> SignInClient.Session {
        let secret = Hex.encode(RandomSource.system.bytes(32))
        let state = Hex.encode(RandomSource.system.bytes(16))
        let listener = CodeListener(state: state) { code throws(ToolError) in
            try await client.session(code: code, secret: secret)
        }
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(address: .network(host: "127.0.0.1", port: 0), ioThreads: 1),
            executor: WorkerPool(threads: 1), handler: listener)
        let port: UInt16
        do {
            port = try server.start()
        } catch {
            throw ToolError("cannot listen on the loopback address: \(error); sign in with --prompt")
        }
        let address =
            page + "&"
            + PercentEncoding.encode([
                ("callback", "http://127.0.0.1:\(port)\(CodeListener.path)?state=\(state)"),
                ("challenge", Hex.encode(SHA256.hash(Array(secret.utf8)))),
            ])
        show(address)
        Browser.open(address)
        let result = await listener.result(within: patience)
        // The page that says how it went is still on its way to the browser.
        await server.stop(drainingFor: .seconds(2))
        return try result.get()
    }
}

/// The loopback side: takes the code from the browser, once, if it comes with the state that was sent along.
private final class CodeListener: HTTPHandler {
    typealias Session = SignInClient.Session
    static let path = "/signed-in"

    private let state: String
    private let exchange: @Sendable (String) async throws(ToolError) -> Session
    private let results: AsyncStream<Result<Session, ToolError>>
    private let deliver: AsyncStream<Result<Session, ToolError>>.Continuation
    private let isTaken = Lock(false)

    init(state: String, exchange: @escaping @Sendable (String) async throws(ToolError) -> Session) {
        self.state = state
        self.exchange = exchange
        (results, deliver) = AsyncStream<Result<Session, ToolError>>.makeStream()
    }

    func result(within patience: Duration) async -> Result<Session, ToolError> {
        let deadline = Task { [deliver] in
            try await Task.sleep(for: patience)
            deliver.yield(
                .failure(
                    ToolError(
                        "the sign-in was not completed within \(patience.components.seconds / 60) minutes",
                        code: "TIMEOUT")))
        }
        defer { deadline.cancel() }
        for await result in results { return result }
        return .failure(ToolError("the sign-in was cancelled", code: "CANCELLED"))
    }

    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { .buffered(limit: 0) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let head = request.head
        guard head.method == "GET", head.path == Self.path else { return page(404, "Page not found", "") }
        let fields = Self.fields(head.query ?? "")
        guard let given = fields["state"], constantTimeEqual(Array(given.utf8), Array(state.utf8)),
            let code = fields["code"]
        else { return page(400, "This sign-in was not requested by this computer", "Run stratus login again.") }
        guard
            isTaken.withLock({ isTaken in
                defer { isTaken = true }
                return !isTaken
            })
        else { return page(400, "This link has already been used", "Run stratus login again.") }
        do throws(ToolError) {
            let session = try await exchange(code)
            deliver.yield(.success(session))
            return page(200, "You are signed in", "You can close this window and go back to the terminal.")
        } catch {
            deliver.yield(.failure(error))
            return page(
                error.code == "UNREACHABLE" ? 502 : 403, "You are not signed in", "The terminal shows the reason.")
        }
    }

    /// The values that this listener's own address and the server's code need: they hold no escapes.
    private static func fields(_ query: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }

    private func page(_ status: Int, _ title: String, _ text: String) -> HTTPResponse {
        let html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title) – Stratus</title></head>
            <body><h1>\(title)</h1><p>\(text)</p></body></html>

            """
        let headers = [
            ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"), ("Content-Security-Policy", "default-src 'none'"),
        ]
        return HTTPResponse(status: status, headers: headers, body: .bytes(Array(html.utf8)))
    }
}
