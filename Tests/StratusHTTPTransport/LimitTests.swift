import StratusHTTPTransport
import Testing

extension HTTPTransportTests {
    @Suite struct LimitTests {
        private func shortLimits() -> HTTPServerLimits {
            var limits = HTTPServerLimits()
            limits.headTime = .milliseconds(200)
            limits.bodyTime = .milliseconds(200)
            return limits
        }

        /// Sends a byte every few milliseconds, until the server closes: the bytes sent.
        private func drip(_ start: String, port: UInt16) async throws -> Int {
            try await client {
                let connection = try RawClient(port: port)
                try connection.send(start)
                var sent = 0
                while !connection.isClosed(within: 5) {
                    do { try connection.send("a") } catch { break }
                    sent += 1
                }
                return sent
            }
        }

        @Test(arguments: ["", "GET /", "GET / HTTP/1.1\r\nHost: a\r\nX: "])
        func aDrippingHeadIsClosed(_ start: String) async throws {
            try await withServer(ClosureHandler.echo, limits: shortLimits()) { server, port in
                let sent = try await drip(start, port: port)
                #expect(sent < 1_000)
                #expect(server.statistics().headTimeouts >= 1)
            }
        }

        @Test func aDrippingBodyIsClosed() async throws {
            try await withServer(ClosureHandler.echo, limits: shortLimits()) { server, port in
                let sent = try await drip("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", port: port)
                #expect(sent < 1_000)
                #expect(server.statistics().bodyTimeouts >= 1)
                #expect(server.statistics().requests == 0)
            }
        }

        @Test func aDrippingStreamedBodyFailsForItsReader() async throws {
            let outcome = Event<String>()
            let handler = ClosureHandler.streaming { request in
                do { for try await _ in request.body {} } catch { await outcome.happen("\(error)") }
                return HTTPResponse(status: 200)
            }
            try await withServer(handler, limits: shortLimits()) { _, port in
                _ = try await drip("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", port: port)
                #expect(["connectionClosed", "CancellationError()"].contains(await outcome.wait()))
            }
        }

        @Test func anIdleConnectionIsClosedThoughItDrips() async throws {
            var limits = HTTPServerLimits()
            limits.idleTime = .milliseconds(200)
            try await withServer(ClosureHandler.echo, limits: limits) { _, port in
                let sent = try await client {
                    let connection = try RawClient(port: port)
                    _ = try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    var sent = 0
                    while !connection.isClosed(within: 5) {
                        do { try connection.send("G") } catch { break }
                        sent += 1
                    }
                    return sent
                }
                #expect(sent < 1_000)
            }
        }

        @Test func connectionsOfAnAddressAreLimited() async throws {
            var limits = HTTPServerLimits()
            limits.connectionsPerAddress = 3
            try await withServer(ClosureHandler.echo, limits: limits) { server, port in
                let (statuses, again) = try await client {
                    let open = try (0..<3).map { _ in try RawClient(port: port) }
                    let first = try open.map { try $0.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status }
                    let refused = try RawClient(port: port).readResponse()
                    let statuses = first + [refused.status, Int(refused["retry-after"] ?? "") ?? 0]
                    // A connection that closes makes room.
                    _ = try open[0].exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    open[0].close()
                    while server.statistics().openConnections > 2 {}
                    let again = try RawClient(port: port).exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status
                    return (statuses, again)
                }
                #expect(statuses == [200, 200, 200, 503, 1])
                #expect(again == 200)
                #expect(server.statistics().refusedAtAddressLimit == 1)
            }
        }

        @Test func allConnectionsAreLimited() async throws {
            var limits = HTTPServerLimits()
            limits.connections = 2
            try await withServer(ClosureHandler.echo, limits: limits) { server, port in
                let statuses = try await client {
                    let open = try (0..<2).map { _ in try RawClient(port: port) }
                    let first = try open.map { try $0.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status }
                    return first + [try RawClient(port: port).readResponse().status]
                }
                #expect(statuses == [200, 200, 503])
                #expect(server.statistics().refusedAtConnectionLimit == 1)
            }
        }

        @Test func manyIdleConnectionsAreKept() async throws {
            let count = 2_000
            try await withServer(ClosureHandler.echo) { server, port in
                let answered = try await client {
                    let open = try (0..<count).map { _ in try RawClient(port: port) }
                    var answered = 0
                    for round in 0..<2 {
                        for connection in open {
                            let text = try connection.exchange("GET /\(round) HTTP/1.1\r\nHost: a\r\n\r\n").text
                            answered += text == "GET /\(round) " ? 1 : 0
                        }
                    }
                    return (answered, server.statistics().openConnections)
                }
                #expect(answered == (2 * count, count))
            }
        }

        /// In a process of its own, whose descriptors nobody else needs.
        @Test func theServerRecoversFromHavingNoDescriptors() async {
            await #expect(processExitsWith: .success) { try await runOutOfDescriptors() }
        }
    }
}

private func runOutOfDescriptors() async throws {
    try await withServer(ClosureHandler.echo) { server, port in
        let (refused, statusAfter) = try await client {
            let first = try RawClient(port: port)
            _ = try first.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let connection = RawClient.unconnected()
            let refused = try withoutDescriptors {
                try connection.connect(port: port)
                return (
                    try first.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status,
                    try connection.readResponse().status
                )
            }
            let after = try RawClient(port: port).exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status
            return ([refused.0, refused.1], after)
        }
        #expect(refused == [200, 503])
        #expect(statusAfter == 200)
        #expect(server.statistics().refusedWithoutDescriptor >= 1)
    }
}
