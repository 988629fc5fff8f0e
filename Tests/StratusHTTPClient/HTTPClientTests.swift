import Foundation
import StratusHTTPClient
import StratusWorkers
import Testing

@Suite struct HTTPClientTests {
    private let client = HTTPClient()

    private func failure(
        _ request: HTTPClientRequest, _ client: HTTPClient? = nil
    ) async -> HTTPClientError.Code? {
        do throws(HTTPClientError) {
            _ = try await (client ?? self.client).send(request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func methodHeadersAndBodyGoOutAndTheResponseComesBack() async throws {
        let server = try TestServer { _ in
            .bytes(
                Array(
                    "HTTP/1.1 207 Multi\r\nX-One:  a b \r\nx-one: c\r\nEmpty:\r\nContent-Length: 3\r\n\r\nyes".utf8))
        }
        defer { server.stop() }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let response = try await client.send(
            HTTPClientRequest(
                method: "PATCH", url: server.url + "/a%20b?c=d", headers: ["X-Test": "ä", "X-Empty": ""], body: body))
        #expect(response.status == 207)
        #expect(response.headers["X-ONE"] == "a b")
        #expect(response.headers.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["a b", "c"])
        #expect(response.headers["empty"] == "")
        #expect(response.headers["absent"] == nil)
        #expect(response.body == Array("yes".utf8))
        #expect(response.version == "1.1")

        let received = try #require(await server.arrivals.first { _ in true })
        let lines = received.head.split(separator: "\r\n")
        #expect(lines.first == "PATCH /a%20b?c=d HTTP/1.1")
        #expect(lines.contains("X-Test: ä"))
        #expect(lines.contains("X-Empty:"))
        #expect(lines.contains("Host: 127.0.0.1:\(server.port)"))
        #expect(!received.head.contains("Expect"))
        #expect(received.body == body)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "OPTIONS"])
    func everyMethodWithoutBody(method: String) async throws {
        let server = try TestServer { received in
            .bytes(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8)
                    + (received.head.hasPrefix("HEAD") ? [] : Array("ok".utf8)))
        }
        defer { server.stop() }
        let response = try await client.send(HTTPClientRequest(method: method, url: server.url + "/"))
        #expect(response.body == (method == "HEAD" ? [] : Array("ok".utf8)))
        let received = try #require(await server.arrivals.first { _ in true })
        #expect(received.head.hasPrefix("\(method) / HTTP/1.1\r\n"))
        #expect(received.head.contains("Content-Length: 0") == ["POST", "PUT"].contains(method))
        #expect(!received.head.contains("Transfer-Encoding"))
    }

    @Test func interimResponsesAndTrailersAreLeftOut() async throws {
        let server = try TestServer { _ in
            .bytes(
                Array(
                    """
                    HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nB: 2\r\nTransfer-Encoding: chunked\r\n\
                    \r\n2\r\nok\r\n0\r\nC: 3\r\n\r\n
                    """.utf8))
        }
        defer { server.stop() }
        let response = try await client.send(HTTPClientRequest(url: server.url))
        #expect(response.status == 200)
        #expect(response.headers.map(\.name) == ["B", "Transfer-Encoding"])
        #expect(response.body == Array("ok".utf8))
    }

    @Test func oneConnectionServesRequestAfterRequest() async throws {
        let server = try TestServer { received in .ok("\(received.connection)") }
        defer { server.stop() }
        var connections: Set<[UInt8]> = []
        for _ in 0..<20 {
            let response = try await client.send(HTTPClientRequest(method: "POST", url: server.url, body: [1, 2, 3]))
            connections.insert(response.body)
        }
        // libcurl gives up a connection that was not used for two minutes, as may happen on a busy machine.
        #expect(connections.count < 20)
    }

    /// The server closes each kept connection silently; libcurl must send again on a new one, body and all.
    @Test func aConnectionThatTheServerClosedIsReplaced() async throws {
        let server = try TestServer { received in
            .bytesThenClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(received.body.count)".utf8))
        }
        defer { server.stop() }
        for _ in 0..<20 {
            let response = try await client.send(HTTPClientRequest(method: "PUT", url: server.url, body: [1, 2, 3]))
            #expect(response.body == Array("3".utf8))
        }
    }

    /// The server may have done what was asked before the connection broke.
    @Test func whatIsPostedIsNeverSentTwice() async throws {
        let received = Lock(0)
        let server = try TestServer { _ in
            let number = received.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .ok("kept") : .bytesThenClose([])
        }
        defer { server.stop() }
        let request = HTTPClientRequest(method: "POST", url: server.url, body: [1, 2, 3])
        #expect(try await client.send(request).status == 200)
        await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        #expect(received.withLock { $0 } == 2)
    }

    @Test func manyRequestsAtOnceGetTheirOwnResponses() async throws {
        let server = try TestServer { received in .ok(String(decoding: received.body, as: UTF8.self)) }
        defer { server.stop() }
        var options = HTTPClientOptions()
        options.connectionsPerHost = 8
        let client = HTTPClient(options: options)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let body = Array("number \(index)".utf8)
                    let request = HTTPClientRequest(method: "POST", url: server.url, body: body)
                    return try await client.send(request).body == body
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
    }

    @Test func unixSockets() async throws {
        let path = NSTemporaryDirectory() + "stratus-\(UInt64.random(in: .min ... .max)).socket"
        defer { unlink(path) }
        let server = try TestServer(unixPath: path) { _ in .ok("here") }
        defer { server.stop() }
        var options = HTTPClientOptions()
        options.unixSocketPath = path
        let response = try await HTTPClient(options: options).send(HTTPClientRequest(url: "http://somewhere.invalid/"))
        #expect(response.body == Array("here".utf8))
    }

    @Test func nobodyListens() async throws {
        #expect(await failure(HTTPClientRequest(url: "http://127.0.0.1:1/")) == .cannotConnect)
        var options = HTTPClientOptions()
        options.unixSocketPath = "/nonexistent/socket"
        #expect(await failure(HTTPClientRequest(url: "http://a/"), HTTPClient(options: options)) == .cannotConnect)
    }

    @Test func aSilentServerTimesOut() async throws {
        let server = try TestServer { _ in .silence }
        defer { server.stop() }
        #expect(await failure(HTTPClientRequest(url: server.url, timeout: .milliseconds(50))) == .timedOut)
    }

    @Test func cancellingTheTaskClosesTheConnection() async throws {
        let server = try TestServer { _ in .silence }
        defer { server.stop() }
        let url = server.url
        let task = Task { await failure(HTTPClientRequest(url: url)) }
        _ = await server.arrivals.first { _ in true }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await server.closings.first { _ in true } == 1)
    }

    @Test func aTaskThatIsAlreadyCancelledSendsNothing() async throws {
        let server = try TestServer { _ in .ok() }
        defer { server.stop() }
        let url = server.url
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(HTTPClientRequest(url: url))
        }
        #expect(await task.value == .cancelled)
        // The next request is the first to arrive.
        _ = try await client.send(HTTPClientRequest(url: url + "/next"))
        let received = try #require(await server.arrivals.first { _ in true })
        #expect(received.head.hasPrefix("GET /next "))
    }

    @Test func responsesOverTheLimitAreRefused() async throws {
        var options = HTTPClientOptions()
        options.maximumResponseLength = 100
        let client = HTTPClient(options: options)
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = "60\r\n\(String(repeating: "x", count: 0x60))\r\n"
        let longHeader =
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: \(String(repeating: "x", count: 999))\r\n", count: 200)
        let server = try TestServer { received in
            switch received.head.prefix(8) {
            case "GET /fit": .ok(String(repeating: "x", count: 100))
            case "GET /big": .ok(String(repeating: "x", count: 101))
            case "GET /hdr": .bytesThenClose(Array((longHeader + "Content-Length: 0\r\n\r\n").utf8))
            default: .bytes(Array((chunked + chunk + chunk + "0\r\n\r\n").utf8))
            }
        }
        defer { server.stop() }
        #expect(await failure(HTTPClientRequest(url: server.url + "/fit"), client) == nil)
        #expect(await failure(HTTPClientRequest(url: server.url + "/big"), client) == .tooLarge)
        #expect(await failure(HTTPClientRequest(url: server.url + "/hdr"), client) == .tooLarge)
        #expect(await failure(HTTPClientRequest(url: server.url + "/chunked"), client) == .tooLarge)
    }

    @Test func aResponseCutShortIsAnError() async throws {
        let server = try TestServer { _ in .bytesThenClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx".utf8))
        }
        defer { server.stop() }
        #expect(await failure(HTTPClientRequest(url: server.url)) == .other)
    }

    @Test func whatCannotBeSentIsRefused() async throws {
        let url = "http://127.0.0.1:1/"
        let requests = [
            HTTPClientRequest(method: "GET /\r\nX: y", url: url), HTTPClientRequest(method: "", url: url),
            HTTPClientRequest(url: url + " HTTP/1.1\r\nX: y"), HTTPClientRequest(url: "ftp://127.0.0.1/"),
            HTTPClientRequest(url: "file:///etc/passwd"), HTTPClientRequest(url: ""), HTTPClientRequest(url: "http://"),
            HTTPClientRequest(url: url, headers: ["A": "b\r\nC: d"]),
            HTTPClientRequest(url: url, headers: ["A b": "c"]),
            HTTPClientRequest(url: url, headers: ["A": "\u{0}"]),
        ]
        for request in requests { #expect(await failure(request) == .invalidRequest, "\(request)") }
    }

    @Test func aServerWithoutTLSIsATLSError() async throws {
        let plain = try TestServer(greeting: "220 no TLS here\r\n")
        defer { plain.stop() }
        #expect(await failure(HTTPClientRequest(url: "https://127.0.0.1:\(plain.port)/")) == .tls)
    }

    @Test func aProxyGetsEverything() async throws {
        let proxy = try TestServer { request in
            request.head.hasPrefix("CONNECT ")
                ? .bytesThenClose(Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8))
                : .ok("by the proxy")
        }
        defer { proxy.stop() }
        var options = HTTPClientOptions()
        options.proxy = proxy.url
        let client = HTTPClient(options: options)
        let response = try await client.send(HTTPClientRequest(url: "http://a.invalid/b"))
        #expect(response.body == Array("by the proxy".utf8))
        #expect(await failure(HTTPClientRequest(url: "https://a.invalid/b"), client) != nil)
        var heads: [String] = []
        for await request in proxy.arrivals {
            heads.append(request.head)
            if heads.count == 2 { break }
        }
        #expect(heads[0].hasPrefix("GET http://a.invalid/b HTTP/1.1") && heads[1].hasPrefix("CONNECT a.invalid:443 "))
        // One with a private address is not connected to by a client that makes no such connections.
        options.allowsPrivateAddresses = false
        let careful = HTTPClient(options: options)
        #expect(await failure(HTTPClientRequest(url: "http://a.invalid/b"), careful) == .forbiddenAddress)
    }

    @Test func aRequestOutlivesItsClient() async throws {
        let server = try TestServer { _ in .ok("late") }
        defer { server.stop() }
        let response = try await HTTPClient().send(HTTPClientRequest(url: server.url))
        #expect(response.body == Array("late".utf8))
    }
}
