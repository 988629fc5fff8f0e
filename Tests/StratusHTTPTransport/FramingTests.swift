import Foundation
import StratusHTTPTransport
import Testing

/// Requests whose end could be understood in two ways, or that are no HTTP/1.1: 400 and a closed connection, and the
/// handler never sees them.
extension HTTPTransportTests {
    @Suite struct FramingTests {
        struct Probe: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let request: String
            init(_ name: String, _ request: String) { (testDescription, self.request) = (name, request) }
        }

        static let start = "POST / HTTP/1.1\r\nHost: a\r\n"

        static let ambiguous: [Probe] = [
            Probe("length and chunked", start + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Probe("chunked and length", start + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"),
            Probe("two different lengths", start + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
            Probe("the same length twice", start + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab"),
            Probe("list of lengths", start + "Content-Length: 2, 2\r\n\r\nab"),
            Probe("length +2", start + "Content-Length: +2\r\n\r\nab"),
            Probe("length -2", start + "Content-Length: -2\r\n\r\nab"),
            Probe("length 0x2", start + "Content-Length: 0x2\r\n\r\nab"),
            Probe("empty length", start + "Content-Length:\r\n\r\nab"),
            Probe("space in length", start + "Content-Length: 1 2\r\n\r\nab"),
            Probe("unknown coding", start + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
            Probe("identity coding", start + "Transfer-Encoding: identity\r\n\r\n"),
            Probe("gzip, chunked", start + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
            Probe("coding twice", start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Probe("space after coding", start + "Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n"),
            Probe("vertical tab in coding", start + "Transfer-Encoding: \u{b}chunked\r\n\r\n0\r\n\r\n"),
            Probe("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ]

        static let malformed: [Probe] = [
            Probe("folded line", start + "X-A: b\r\n c\r\n\r\n"),
            Probe("folded with tab", start + "X-A: b\r\n\tc\r\n\r\n"),
            Probe("folded into a name", start + "Content: 5\r\n -Length\r\n\r\nhello"),
            Probe("fold as first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
            Probe("space before colon", start + "X-A : b\r\n\r\n"),
            Probe("tab before colon", start + "X-A\t: b\r\n\r\n"),
            Probe("space before colon of length", start + "Content-Length : 2\r\n\r\nab"),
            Probe("empty name", start + ": b\r\n\r\n"),
            Probe("name is no token", start + "X(A): b\r\n\r\n"),
            Probe("name is not ASCII", start + "Xé: b\r\n\r\n"),
            Probe("no colon", start + "X-A\r\n\r\n"),
            Probe("NUL in a value", start + "X-A: b\0c\r\n\r\n"),
            Probe("two NULs in a value", start + "X-A: b\0\0Content-Length: 3\r\n\r\nabc"),
            Probe("NUL in a name", start + "X\0A: b\r\n\r\n"),
            Probe("control in a value", start + "X-A: b\u{1}\r\n\r\n"),
            Probe("bare CR in a value", start + "X-A: b\rX-B: c\r\n\r\n"),
            Probe("bare LF after the first line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
            Probe("bare LF after a field", "GET / HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n"),
            Probe("bare LF after the last field", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
            Probe("bare LF as empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
            Probe("bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n"),
            Probe("no host", "GET / HTTP/1.1\r\n\r\n"),
            Probe("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
            Probe("list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
            Probe("host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
            Probe("two spaces in the first line", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
            Probe("tab in the target", "GET /\ta HTTP/1.1\r\nHost: a\r\n\r\n"),
            Probe("space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
            Probe("target not ASCII", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n"),
            Probe("NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
            Probe("method is no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
            Probe("version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n"),
            Probe("version without a number", "GET / HTTP/1.x\r\nHost: a\r\n\r\n"),
        ]

        /// What the library takes for ends of lines, and would leave no trace of.
        static let hidden: [Probe] = [
            Probe("NUL before a bare LF", start + "X-A: b\0\nX-B: c\r\n\r\n"),
            Probe("NUL behind a bare LF", start + "X-A: b\n\0\r\n"),
            Probe("NUL and CRLF before a bare LF", start + "X-A: b\0\r\n\n"),
            Probe("lone colon with a bare LF", start + "X-A: b\r\n:\n"),
            Probe("bare LF before a lone colon", start + "X-A: b\n:\r\n"),
            Probe("empty line of a bare LF before the request", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ]

        static let badChunks: [Probe] = [
            "2\nab\r\n0\r\n\r\n", "2\r\nab\n0\r\n\r\n", "2\r\nab\r\n0\n\r\n", "2\r\nab\r\n0\r\n\n",
            "2;x\nab\r\n0\r\n\r\n", "2;x\ny\r\nab\r\n0\r\n\r\n", "2\r\nab\r\n0\r\nX: y\n\r\n",
            "2\r\nab0\r\n\r\n",
            "-1\r\nab\r\n0\r\n\r\n", "+2\r\nab\r\n0\r\n\r\n", "0x2\r\nab\r\n0\r\n\r\n", "\r\n", "g\r\nab\r\n0\r\n\r\n",
            ";a\r\n",
            "2 \r\nab\r\n0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n",
        ].map { Probe("chunk " + $0.debugDescription, start + "Transfer-Encoding: chunked\r\n\r\n" + $0) }

        @Test(arguments: ambiguous + malformed + hidden + badChunks)
        func isRefused(_ probe: Probe) async throws {
            let seen = Event<String>()
            let handler = ClosureHandler { request in
                await seen.happen(request.head.target)
                return HTTPResponse(status: 200)
            }
            try await withServer(handler) { server, port in
                let answers = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send(probe.request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
                    return String(decoding: connection.readToEnd(), as: UTF8.self)
                }
                #expect(answers.hasPrefix("HTTP/1.1 400 "), "\(answers)")
                #expect(answers.count(of: "HTTP/1.1 ") == 1, "\(answers)")
                #expect(answers.count(of: "Content-Length: ") == 1, "\(answers)")
                #expect(answers.contains("Connection: close"))
                #expect(server.statistics().requests == 0)
            }
        }

        /// The same in pieces of every size, so that the checks do not depend on what arrives together.
        @Test(arguments: [1, 2, 7, 31])
        func isRefusedInPieces(_ size: Int) async throws {
            try await withServer(ClosureHandler.echo) { server, port in
                for probe in Self.ambiguous + Self.malformed + Self.hidden + Self.badChunks {
                    let status = try await client {
                        let connection = try RawClient(port: port)
                        let bytes = Array(probe.request.utf8)
                        for start in stride(from: 0, to: bytes.count, by: size) {
                            // The server may have closed already.
                            do { try connection.send(Array(bytes[start..<min(start + size, bytes.count)])) } catch {
                                break
                            }
                        }
                        return try? connection.readHead().status
                    }
                    #expect(status == 400 || status == nil, "\(probe.testDescription)")
                }
                #expect(server.statistics().requests == 0)
            }
        }

        /// Requests that came before, in the same piece, are answered first.
        @Test(arguments: ["GET /\nx HTTP/1.1\r\n\r\n", start + "Content-Length: 3, 3\r\n\r\nabc"])
        func whatCameBeforeIsAnswered(_ malformed: String) async throws {
            try await withServer(ClosureHandler.echo) { server, port in
                let answers = try await client {
                    let connection = try RawClient(port: port)
                    let good = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    let body = "3;x\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\n\r\n"
                    try connection.send(good + body + "GET /b HTTP/1.1\r\nHost: a\r\n\r\n" + malformed)
                    return String(decoding: connection.readToEnd(), as: UTF8.self)
                }
                let parts = answers.components(separatedBy: "HTTP/1.1 ")
                #expect(parts.map { $0.prefix(3) } == ["", "200", "200", "400"], "\(answers)")
                #expect(parts.count > 2 && parts[1].hasSuffix("POST /a abcd") && parts[2].hasSuffix("GET /b "))
                #expect(server.statistics().requests == 2)
                #expect(server.statistics().malformedRequests == 1)
            }
        }

        @Test(arguments: [("GET / HTTP/2.0", 505), ("GET / HTTP/0.9", 505)])
        func otherVersionsAreNotSupported(_ line: String, _ status: Int) async throws {
            try await withServer(ClosureHandler.echo) { _, port in
                let got = try await client { try RawClient(port: port).exchange(line + "\r\nHost: a\r\n\r\n").status }
                #expect(got == status)
            }
        }

        @Test func headsOverTheLimitsAreRefused() async throws {
            var limits = HTTPServerLimits()
            limits.headerCount = 10
            limits.requestTargetLength = 100
            try await withServer(ClosureHandler.echo, limits: limits) { _, port in
                let field = "X: y\r\n"
                let target = "/" + String(repeating: "a", count: 99)
                let start = "GET / HTTP/1.1\r\nHost: a\r\n"
                let requests = [
                    start + String(repeating: field, count: 9) + "\r\n",
                    start + String(repeating: field, count: 10) + "\r\n",
                    "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n",
                    "GET \(target)b HTTP/1.1\r\nHost: a\r\n\r\n",
                    start + "X: " + String(repeating: "a", count: 9_000) + "\r\n\r\n",
                ]
                let statuses = try await client {
                    try requests.map { try RawClient(port: port).exchange($0).status }
                }
                #expect(statuses == [200, 431, 200, 414, 431])
            }
        }

        @Test func aHugeHeaderCountIsRefused() async throws {
            try await withServer(ClosureHandler.echo) { _, port in
                let status = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n")
                    do { for _ in 0..<100_000 { try connection.send("X: y\r\n") } } catch {}
                    return try? connection.readHead().status
                }
                #expect(status == 431 || status == nil)
            }
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        indices.count { self[$0...].hasPrefix(part) }
    }
}
