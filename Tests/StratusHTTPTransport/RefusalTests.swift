import StratusHTTPTransport
import Testing

extension HTTPTransportTests {
    /// Bodies that are answered before they come.
    @Suite struct RefusalTests {
        private let handler = ClosureHandler(
            policy: { head in
                guard head.path == "/no" else { return .buffered(limit: 1_000) }
                return .refused(HTTPResponse(status: 403, headers: [("X-Why", "no")], body: .bytes(Array("why".utf8))))
            }, answer: { await ClosureHandler.echo.answer($0) })

        @Test func aRefusedBodyIsAnsweredBeforeItComesAndTheConnectionCloses() async throws {
            try await withServer(handler) { _, port in
                let (response, isClosed) = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("PUT /no HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000\r\n\r\n")
                    return (try connection.readResponse(), connection.isClosedByServer())
                }
                #expect(response.status == 403 && response.text == "why" && response["x-why"] == "no")
                #expect(response.closes && isClosed)
            }
        }

        @Test func aSlowBodyGoesOnAsLongAsItMakesProgress() async throws {
            var changed = HTTPServerLimits()
            changed.bodyTime = .milliseconds(400)
            let limits = changed
            let handler = ClosureHandler.streaming { request in
                var count = 0
                do { for try await piece in request.body { count += piece.count } } catch {
                    return HTTPResponse(status: 500)
                }
                return HTTPResponse(status: 200, body: .bytes(Array("\(count)".utf8)))
            }
            try await withServer(handler, limits: limits) { server, port in
                let (sent, text) = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                    let start = ContinuousClock.now
                    var sent = 0
                    while ContinuousClock.now - start < limits.bodyTime * 3, !connection.isClosed(within: 5) {
                        try connection.send("40000\r\n")
                        try connection.send([UInt8](repeating: 1, count: 0x40000))
                        try connection.send("\r\n")
                        sent += 0x40000
                    }
                    try connection.send("0\r\n\r\n")
                    return (sent, try connection.readResponse().text)
                }
                #expect(text == "\(sent)")
                #expect(server.statistics().bodyTimeouts == 0)
            }
        }
    }
}
