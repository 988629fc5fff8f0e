import Foundation
import StratusHTTPTransport
import Testing

extension HTTPTransportTests {
    /// Clients that close their side before they have an answer.
    @Suite struct LeavingTests {
        private static let parts = [
            "", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        ]

        /// Times that no test waits for.
        private func longLimits() -> HTTPServerLimits {
            var limits = HTTPServerLimits()
            (limits.headTime, limits.bodyTime) = (.seconds(3_600), .seconds(3_600))
            limits.idleTime = .seconds(3_600)
            return limits
        }

        /// Sends a part of a request on some connections, and closes them at once.
        private func leave(_ part: String, _ port: UInt16) async throws {
            try await client {
                for _ in 0..<20 {
                    let connection = try RawClient(port: port)
                    try connection.send(part)
                    connection.close()
                }
            }
        }

        @Test(arguments: parts)
        func aConnectionIsClosedWhenItsClientIsGone(_ part: String) async throws {
            try await withServer(ClosureHandler.echo, limits: longLimits()) { server, port in
                try await leave(part, port)
                try await client {
                    while server.statistics().acceptedConnections < 20 { sched_yield() }
                    while server.statistics().openConnections > 0 { sched_yield() }
                }
                #expect(server.statistics().requests == 0)
            }
        }

        @Test(arguments: parts)
        func aStopDoesNotWaitForClientsThatAreGone(_ part: String) async throws {
            let server = HTTPServer(
                configuration: HTTPServerConfiguration(
                    address: .network(host: "127.0.0.1", port: 0), limits: longLimits()),
                executor: handlerPool, handler: ClosureHandler.echo)
            try await leave(part, try server.start())
            await server.stop(drainingFor: .seconds(3_600))
            #expect(server.statistics().openConnections == 0)
        }

        @Test func whatAGoneClientSentWholeIsStillReceived() async throws {
            let received = Event<String>()
            let handler = ClosureHandler { request in
                await received.happen(String(decoding: request.body.bytes, as: UTF8.self))
                return HTTPResponse(status: 200)
            }
            try await withServer(handler, limits: longLimits()) { _, port in
                try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                    connection.close()
                }
                #expect(await received.wait() == "abc")
            }
        }

        /// A client that closes its sending side behind a whole request is taken for one that is gone, so its handler
        /// is cancelled. What the handler then answers is sent, since the client may still read.
        @Test func aHalfClosedClientIsAnswered() async throws {
            let handler = ClosureHandler { _ in
                // Longer than any test waits: only cancellation ends it.
                do { try await Task.sleep(for: .seconds(3_600)) } catch {}
                return HTTPResponse(status: 200, body: .bytes(Array("still".utf8)))
            }
            try await withServer(handler, limits: longLimits()) { server, port in
                let text = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    connection.finishSending()
                    return try connection.readResponse().text
                }
                #expect(text == "still")
                #expect(server.statistics().abandonedRequests == 1)
            }
        }
    }
}
