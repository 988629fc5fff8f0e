import Glibc
import HTTPTransport
import Testing
import Workers

extension HTTPTransportTests {
    /// Requests that are answered on their I/O thread.
    @Suite struct QuickRequestTests {
        @Test func areAnsweredWhereTheyMayBlockPipelinedOrNot() async throws {
            let handler = ClosureHandler(quick: { $0.path == "/quick" }) { request in
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
            let handler = ClosureHandler(quick: { _ in true }) { request in
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

        /// Waiting costs no further thread: what wakes the I/O thread lets it go on, too.
        @Test func goOnWhereTheyBegan() async throws {
            let handler = ClosureHandler(quick: { _ in true }) { _ in
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
            let handler = ClosureHandler(quick: { _ in true }) { _ in
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
            let handler = ClosureHandler(quick: { _ in true }) { _ in
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
