import Glibc
import StratusHTTPTransport
import StratusWaiting
import StratusWorkers
import Testing

extension HTTPTransportTests {
    /// Requests that are answered on their I/O thread.
    @Suite struct QuickRequestTests {
        @Test func areAnsweredWhereTheyMayBlockPipelinedOrNot() async throws {
            let handler = ClosureHandler(quick: { head, _ in head.path == "/quick" }) { request in
                let text = "\(request.head.path) \(WorkerPool.isCurrentThread) "
                return HTTPResponse(status: 200, body: .bytes(Array(text.utf8) + request.body.bytes))
            }
            try await withServer(handler) { server, port in
                let texts = try await client {
                    let connection = try RawClient(port: port)
                    let requests = (0..<300).map { number in
                        let path = number % 3 == 0 ? "/slow" : "/quick"
                        return "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\(100 + number)"
                    }
                    try connection.send(requests.joined())
                    return try requests.map { _ in try connection.readResponse().text }
                }
                #expect(texts == (0..<300).map { "\($0 % 3 == 0 ? "/slow" : "/quick") true \(100 + $0)" })
                #expect(server.statistics().requests == 300)
            }
        }

        @Test func mayWaitNevertheless() async throws {
            let mayAnswer = Event<Bool>()
            let handler = ClosureHandler(quick: { _, _ in true }) { request in
                if request.head.path == "/waits" { _ = await mayAnswer.wait() } else { await mayAnswer.happen(true) }
                return HTTPResponse(status: 200, body: .bytes(Array(request.head.path.utf8)))
            }
            try await withServer(handler) { _, port in
                let texts = try await client {
                    let (waiting, other) = (try RawClient(port: port), try RawClient(port: port))
                    try waiting.send("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
                    // Another connection goes on meanwhile, be it of the same thread or not.
                    let first = try other.exchange("GET /goes HTTP/1.1\r\nHost: a\r\n\r\n").text
                    return [first, try waiting.readResponse().text]
                }
                #expect(texts == ["/goes", "/waits"])
            }
        }

        /// A thread that ends many waits wakes each I/O thread for the first of its requests, which fetches the others; also
        /// where that first one's client has gone.
        @Test(arguments: [false, true]) func areAllAnsweredWhenTheirWaitsEndTogether(isGathered: Bool) async throws {
            let gate = Gate()
            let finished = Lock(0)
            let handler = ClosureHandler(quick: { _, _ in true }) { request in
                await gate.pass()
                finished.withLock { $0 += 1 }
                return HTTPResponse(status: 200, body: .bytes(Array(request.head.path.utf8)))
            }
            try await withServer(handler) { _, port in
                for round in 1...10 {
                    let clients = try await client {
                        UncheckedBox(
                            value: try (0..<40).map { number in
                                let connection = try RawClient(port: port)
                                try connection.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                                return connection
                            })
                    }
                    try await wait(for: "all to wait") { gate.count == 40 }
                    let texts = try await client {
                        for gone in stride(from: 0, to: 40, by: 4) { clients.value[gone].close() }
                        if isGathered { WakeUps.gathering { gate.open() } } else { gate.open() }
                        return try (0..<40).filter { $0 % 4 != 0 }
                            .map { try clients.value[$0].readResponse().text }
                    }
                    #expect(texts == (0..<40).filter { $0 % 4 != 0 }.map { "/\($0)" })
                    try await wait(for: "all to end") { finished.withLock { $0 } == 40 * round }
                }
            }
        }

        /// Lets nobody pass until it is opened, and then all who wait.
        private final class Gate: Sendable {
            private let waiting = Lock<[CheckedContinuation<Void, Never>]>([])

            var count: Int { waiting.withLock { $0.count } }

            func pass() async { await withCheckedContinuation { one in waiting.withLock { $0.append(one) } } }

            func open() {
                let all = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                for one in all { one.resume() }
            }
        }

        /// Who else is at work is known before a request is called quick; who has answered is not at work.
        @Test func areToldWhetherTheyAreAlone() async throws {
            let ports = Event<UInt16>()
            let seen = Lock<[String]>([])
            let handler = ClosureHandler(quick: { head, isAlone in
                seen.withLock { $0.append("\(head.path) \(isAlone)") }
                return isAlone
            }) { request in
                if request.head.path == "/outer" {
                    let port = await ports.wait()
                    let inner = try? await client {
                        try RawClient(port: port).exchange("GET /inner HTTP/1.1\r\nHost: a\r\n\r\n").text
                    }
                    return HTTPResponse(status: 200, body: .bytes(Array((inner ?? "").utf8)))
                }
                return HTTPResponse(status: 200, body: .bytes(Array(request.head.path.utf8)))
            }
            try await withServer(handler) { _, port in
                await ports.happen(port)
                let texts = try await client {
                    let connection = try RawClient(port: port)
                    return try ["/outer", "/after"].map { path in
                        try connection.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n").text
                    }
                }
                #expect(texts == ["/inner", "/after"])
                #expect(seen.withLock { $0 } == ["/outer true", "/inner false", "/after true"])
            }
        }

        /// Bodies that are copied as a whole, in blocks, and taken in several calls.
        @Test(arguments: [false, true]) func sendBodiesOfAnySize(isQuick: Bool) async throws {
            let sizes = [0, 1, 8_193, 32_769, 300_000, 1_048_576, 1_048_577, 3_000_000]
            let handler = ClosureHandler(quick: { _, _ in isQuick }) { request in
                let size = Int(request.head.path.dropFirst()) ?? 0
                return HTTPResponse(status: 200, body: .bytes((0..<size).map { UInt8(truncatingIfNeeded: $0 % 251) }))
            }
            try await withServer(handler) { _, port in
                let bodies = try await client {
                    let connection = try RawClient(port: port)
                    return try sizes.map { size in
                        try connection.exchange("GET /\(size) HTTP/1.1\r\nHost: a\r\n\r\n").body
                    }
                }
                for (size, body) in zip(sizes, bodies) {
                    #expect(body == (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251) }, "\(size) bytes")
                }
            }
        }

        /// Waiting costs no further thread: what wakes the I/O thread lets it go on, too.
        @Test func goOnWhereTheyBegan() async throws {
            let handler = ClosureHandler(quick: { _, _ in true }) { _ in
                let first = ThreadName.current
                let waker = await withCheckedContinuation { continuation in
                    handlerPool.submit { continuation.resume(returning: ThreadName.current) }
                }
                let isSame = first == ThreadName.current && first != waker
                return HTTPResponse(status: 200, body: .bytes(Array("\(isSame)".utf8)))
            }
            try await withServer(handler) { _, port in
                let texts = try await client {
                    let connection = try RawClient(port: port)
                    return try (0..<50).map { _ in try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text }
                }
                #expect(texts == Array(repeating: "true", count: 50))
            }
        }

        @Test func goOnWithoutTheirThreadWhenTheServerHasStopped() async throws {
            let (started, mayEnd, ended) = (Event<Bool>(), Event<Bool>(), Event<Bool>())
            let handler = ClosureHandler(quick: { _, _ in true }) { _ in
                await started.happen(true)
                _ = await mayEnd.wait()
                await ended.happen(true)
                return HTTPResponse(status: 200)
            }
            try await withServer(handler) { server, port in
                let connection = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return UncheckedBox(value: connection)
                }
                #expect(await started.wait())
                await server.stop(drainingFor: .zero)
                await mayEnd.happen(true)
                #expect(await ended.wait())
                connection.value.close()
            }
        }

        @Test func ofAClientThatHasGoneAreCancelled() async throws {
            let (cancelled, started) = (Event<Bool>(), Event<Bool>())
            let handler = ClosureHandler(quick: { _, _ in true }) { _ in
                await started.happen(true)
                // Only a cancellation ends it.
                do { try await Task.sleep(for: .seconds(3_600)) } catch { await cancelled.happen(true) }
                return HTTPResponse(status: 200)
            }
            try await withServer(handler) { _, port in
                let connection = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return UncheckedBox(value: connection)
                }
                #expect(await started.wait())
                connection.value.close()
                #expect(await cancelled.wait())
            }
        }
    }
}

/// Tells threads apart.
private enum ThreadName {
    static var current: pthread_t { pthread_self() }
}
