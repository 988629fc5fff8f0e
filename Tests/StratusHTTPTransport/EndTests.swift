import StratusHTTPTransport
import Testing

extension HTTPTransportTests {
    /// What handlers are told when a request is over.
    @Suite struct EndTests {
        private let ended = Event<HTTPResponseEnd>()

        private func telling(_ response: HTTPResponse) -> HTTPResponse {
            var response = response
            response.whenOver = { [ended] end in Task { await ended.happen(end) } }
            return response
        }

        /// Keeps answers to be given by the test.
        private func keeping(_ kept: Event<HTTPLateAnswer>) -> ClosureHandler {
            ClosureHandler { _ in
                telling(HTTPResponse(status: 200, body: .later { late in Task { await kept.happen(late) } }))
            }
        }

        private func connect(_ port: UInt16) async throws -> UncheckedBox<RawClient> {
            try await client {
                let connection = try RawClient(port: port)
                try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return UncheckedBox(value: connection)
            }
        }

        @Test(arguments: [(404, 4), (200, 100_000), (204, 2)])
        func theEndOfAKeptAnswerIsToldWhenItWasSent(status: Int, size: Int) async throws {
            let response = HTTPResponse(status: status, body: .bytes([UInt8](repeating: 7, count: size)))
            let kept = Event<HTTPLateAnswer>()
            try await withServer(keeping(kept)) { _, port in
                let connection = try await connect(port)
                await kept.wait().give(response)
                let received = try await client { try connection.value.readResponse() }
                #expect(received.status == response.status)
                let end = await ended.wait()
                #expect(end == HTTPResponseEnd(status: response.status, bodyBytes: Int64(received.body.count)))
            }
        }

        @Test func aClientThatHasGoneIsSentNoStatus() async throws {
            let kept = Event<HTTPLateAnswer>()
            var limits = HTTPServerLimits()
            limits.headTime = .milliseconds(400)
            try await withServer(keeping(kept), limits: limits) { _, port in
                let connection = try await connect(port)
                let (late, gone) = (await kept.wait(), Event<Bool>())
                late.whenAbandoned { Task { await gone.happen(true) } }
                connection.value.close()
                _ = await gone.wait()
                late.give(HTTPResponse(status: 200, body: .bytes([1, 2, 3])))
                #expect(await ended.wait() == HTTPResponseEnd(status: nil, bodyBytes: 0))
            }
        }

        @Test func aStreamHasTheBytesThatWereWritten() async throws {
            let handler = ClosureHandler { _ in
                telling(
                    HTTPResponse(
                        status: 200,
                        body: .stream(contentLength: nil) { writer in
                            for _ in 0..<3 { try await writer.write([UInt8](repeating: 7, count: 50_000)) }
                        }))
            }
            try await withServer(handler) { _, port in
                let connection = try await connect(port)
                let received = try await client { try connection.value.readResponse() }
                #expect(received.body.count == 150_000)
                #expect(await ended.wait() == HTTPResponseEnd(status: 200, bodyBytes: 150_000))
            }
        }

        @Test func aStreamThatTheClientLeavesHasWhatWasSent() async throws {
            let sent = Event<Bool>()
            let handler = ClosureHandler { _ in
                telling(
                    HTTPResponse(
                        status: 200,
                        body: .stream(contentLength: nil) { writer in
                            try await writer.write([1, 2, 3, 4, 5])
                            await sent.happen(true)
                            // Longer than any test waits: only the client's going ends it.
                            try await Task.sleep(for: .seconds(3_600))
                        }))
            }
            var limits = HTTPServerLimits()
            limits.headTime = .milliseconds(400)
            try await withServer(handler, limits: limits) { _, port in
                let connection = try await connect(port)
                _ = await sent.wait()
                try await client {
                    _ = try connection.value.readHead()
                    #expect(try connection.value.readLine() == "5")
                    connection.value.close()
                }
                let end = await ended.wait()
                // The byte that ends such a connection may be among them.
                #expect(end.status == 200 && (5...6).contains(end.bodyBytes), "\(end)")
            }
        }

        @Test func aStopEndsWhatWasNeverAnswered() async throws {
            let kept = Event<HTTPLateAnswer>()
            try await withServer(keeping(kept)) { server, port in
                let connection = try await connect(port)
                let late = await kept.wait()
                await server.stop(drainingFor: .zero)
                #expect(await ended.wait().status == 503)
                late.give(HTTPResponse(status: 200))
                connection.value.close()
            }
        }
    }
}
