import StratusHTTPTransport
import StratusWorkers
import Testing

extension HTTPTransportTests {
    @Suite struct RequestTests {
        @Test func theTargetIsKeptAsSent() async throws {
            let handler = ClosureHandler { request in
                let head = request.head
                return HTTPResponse(
                    status: 200, body: .bytes(Array("\(head.target)|\(head.path)|\(head.query ?? "-")".utf8)))
            }
            try await withServer(handler) { _, port in
                for target in ["/%2e%2F+a%00?x=%26+1&y&=z?q", "/", "*", "http://a/b?c", "/a?", "//a/../b;c"] {
                    let text = try await client {
                        try RawClient(port: port).exchange("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").text
                    }
                    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
                    #expect(text == "\(target)|\(parts[0])|\(parts.count > 1 ? String(parts[1]) : "-")")
                }
            }
        }

        @Test func aTargetThatIsRepeatedIsLookedIntoOnceAConnection() async throws {
            final class Finding: Sendable {
                let number: Int
                init(_ number: Int) { self.number = number }
            }
            let count = Lock(0)
            let handler = ClosureHandler { request in
                let head = request.head
                let finding = head.requestTarget.finding { _ in
                    Finding(
                        count.withLock {
                            $0 += 1; return $0
                        })
                }
                let number = (finding as? Finding)?.number ?? 0
                return HTTPResponse(status: 200, body: .bytes(Array("\(head.method) \(head.target) \(number)".utf8)))
            }
            try await withServer(handler) { _, port in
                let kept = "/" + String(repeating: "x", count: 1_023)
                let long = kept + "x"
                let asked = [
                    "GET /a?b", "GET /a?b", "POST /a?b", "GET /a?", "GET /a?b", "GET /a", "GET /a", "GET \(long)",
                    "GET \(long)", "GET /a", "GET \(kept)", "GET \(kept)",
                ]
                let answers = try await client {
                    let connection = try RawClient(port: port)
                    return try asked.map { line in
                        let length = line.hasPrefix("POST") ? "Content-Length: 0\r\n" : ""
                        return try connection.exchange("\(line) HTTP/1.1\r\nHost: a\r\n\(length)\r\n").text
                    }
                }
                // Long ones are not kept.
                #expect(answers == zip(asked, [1, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8]).map { "\($0) \($1)" })
                let another = try await client {
                    try RawClient(port: port).exchange("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").text
                }
                #expect(another == "GET /a 9")
            }
        }

        @Test func headersAreFoundWithoutRegardToCaseAndInOrder() async throws {
            let handler = ClosureHandler { request in
                let headers = request.head.headers
                let list =
                    headers.pairs.map { "\($0.name)=\($0.value)" } + headers.all("x-MANY") + [headers["COOKIE"] ?? "?"]
                return HTTPResponse(status: 200, body: .bytes(Array(list.joined(separator: "|").utf8)))
            }
            try await withServer(handler) { _, port in
                let text = try await client {
                    try RawClient(port: port).exchange(
                        "GET / HTTP/1.1\r\nhOST:a\r\nX-Many:  one\t \r\nCookie: a=b; c=d\r\nX-Empty:\r\n"
                            + "x-many: zwei é\r\n\r\n"
                    ).text
                }
                #expect(text == "hOST=a|X-Many=one|Cookie=a=b; c=d|X-Empty=|x-many=zwei é|one|zwei é|a=b; c=d")
            }
        }

        @Test func bodiesComeWhole() async throws {
            try await withServer(ClosureHandler.echo) { _, port in
                let big = String(repeating: "0123456789", count: 20_000)
                let answers = try await client {
                    let connection = try RawClient(port: port)
                    let chunked = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                    return [
                        try connection.exchange("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello").text,
                        try connection.exchange("GET /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nget").text,
                        try connection.exchange(chunked + "5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: t\r\n\r\n")
                            .text,
                        try connection.exchange(chunked + "0\r\n\r\n").text,
                        try connection.exchange("FROB /d HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").text,
                        try connection.exchange(
                            "PUT /e HTTP/1.1\r\nHost: a\r\nContent-Length: \(big.utf8.count)\r\n\r\n" + big
                        ).text,
                    ]
                }
                #expect(
                    answers == [
                        "POST /a hello", "GET /b get", "POST /c hello world", "POST /c ", "FROB /d ", "PUT /e " + big,
                    ])
            }
        }

        @Test(arguments: [1, 3, 7, 50, 100_000])
        func pipelinedRequestsAreAnsweredInOrder(_ size: Int) async throws {
            try await withServer(ClosureHandler.echo) { _, port in
                let answers = try await client {
                    let connection = try RawClient(port: port)
                    var all = ""
                    for index in 0..<20 {
                        all +=
                            index % 2 == 0
                            ? "POST /\(index) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
                            : "POST /\(index) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + "1\r\nc\r\n1\r\nd\r\n0\r\n\r\n"
                    }
                    let bytes = Array(all.utf8)
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        try connection.send(Array(bytes[start..<min(start + size, bytes.count)]))
                    }
                    return try (0..<20).map { _ in try connection.readResponse().text }
                }
                #expect(answers == (0..<20).map { "POST /\($0) \($0 % 2 == 0 ? "ab" : "cd")" })
            }
        }

        @Test func connectionsAreKeptOrClosedAsAsked() async throws {
            try await withServer(ClosureHandler.echo) { _, port in
                let (kept, closed, old) = try await client {
                    let connection = try RawClient(port: port)
                    _ = try connection.exchange("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
                    let kept = try connection.exchange("GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").text
                    let old = try RawClient(port: port)
                    let oldAnswer = try old.exchange("GET /3 HTTP/1.0\r\n\r\n").text
                    return (
                        kept, connection.isClosedByServer(), oldAnswer + (old.isClosedByServer() ? "closed" : "open")
                    )
                }
                #expect(kept == "GET /2 ")
                #expect(closed)
                #expect(old == "GET /3 closed")
            }
        }

        @Test func continueIsSentBeforeTheBody() async throws {
            try await withServer(ClosureHandler.echo) { _, port in
                let (first, second) = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send(
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
                    let first = try connection.readHead().status
                    try connection.send("ok")
                    return (first, try connection.readResponse().text)
                }
                #expect(first == 100)
                #expect(second == "POST / ok")
            }
        }

        @Test func bodiesOverTheLimitAreRefused() async throws {
            let handler = ClosureHandler(policy: { _ in .buffered(limit: 1_000) }, answer: ClosureHandler.echo.answer)
            try await withServer(handler) { server, port in
                let statuses = try await client {
                    func status(_ request: String, then body: String = "") throws -> Int {
                        let connection = try RawClient(port: port)
                        try connection.send(request)
                        // The server may close while the client still sends.
                        do { try connection.send(body) } catch {}
                        let response = try connection.readResponse()
                        _ = connection.readToEnd()
                        return response.closes ? response.status : -1
                    }
                    let start = "POST / HTTP/1.1\r\nHost: a\r\n"
                    let long = String(repeating: "x", count: 4_000_000)
                    return [
                        try status(start + "Content-Length: 1001\r\n\r\n"),
                        try status(start + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n"),
                        try status(start + "Content-Length: 4000000\r\n\r\n", then: long),
                        try status(start + "Content-Length: 99999999999999999999\r\n\r\n"),
                        try status(start + "Transfer-Encoding: chunked\r\n\r\n3d0900\r\n", then: long),
                        try status(start + "Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n", then: long),
                        try status(start + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", then: long),
                    ]
                }
                #expect(statuses == [413, 413, 413, 413, 413, 413, 413])
                #expect(server.statistics().requests == 0)
                #expect(server.statistics().oversizedBodies == 7)
            }
        }
    }
}
