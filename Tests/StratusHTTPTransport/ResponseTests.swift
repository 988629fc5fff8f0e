import Glibc
import StratusHTTPTransport
import StratusSeeds
import Testing

extension HTTPTransportTests {
    @Suite struct ResponseTests {
        @Test func headersCannotSplitTheAnswer() async throws {
            let handler = ClosureHandler { _ in
                HTTPResponse(
                    status: 200,
                    headers: [
                        ("X-Evil", "a\r\nSet-Cookie: b\0c"), ("X-Bad: y", "z"), ("", "z"), ("X Y", "z"),
                        ("X\r\nZ", "z"),
                        ("Content-Length", "99"), ("Transfer-Encoding", "chunked"), ("Connection", "upgrade"),
                        ("X-Good", "é"),
                    ], body: .bytes([0x6F, 0x6B]))
            }
            try await withServer(handler) { _, port in
                let response = try await client {
                    try RawClient(port: port).exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                }
                let names = response.headers.map(\.name).sorted()
                #expect(names == ["content-length", "date", "x-evil", "x-good"])
                #expect(response["x-evil"] == "a  Set-Cookie: b c")
                #expect(response["x-good"] == "é")
                #expect(response.text == "ok")
            }
        }

        @Test func controlsInHeadersAreSpacesWhereverTheyStand() async throws {
            let seed = Seed.draw()
            var random = SeededRandom(seed: seed)
            let scalars: [Unicode.Scalar] = ["a", "Z", "~", " ", "é", "\u{80}", "語", "\0", "\n", "\u{1F}", "\u{7F}"]
            let values = (0..<500).map { _ in
                var text = "|"
                for _ in 0..<Int.random(in: 0...24, using: &random) {
                    text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
                }
                return text + "|"
            }
            let handler = ClosureHandler { request in
                let number = Int(request.head.path.dropFirst()) ?? 0
                return HTTPResponse(status: 200, headers: [("X-Value", values[number])], body: .empty)
            }
            try await withServer(handler) { _, port in
                let read = try await client {
                    let connection = try RawClient(port: port)
                    return try values.indices.map {
                        try connection.exchange("GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n")["x-value"]
                    }
                }
                for (value, read) in zip(values, read) {
                    var shown = ""
                    for scalar in value.unicodeScalars {
                        shown.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
                    }
                    #expect(read == shown, "seed \(seed)")
                }
            }
        }

        @Test func bodilessAnswersLeaveTheConnectionInStep() async throws {
            let handler = ClosureHandler { request in
                let status = Int(request.head.path.dropFirst()) ?? 200
                if request.head.query == "stream" {
                    return HTTPResponse(
                        status: status, body: .stream(contentLength: 5) { try await $0.write(Array("12345".utf8)) })
                }
                return HTTPResponse(status: status, body: .bytes(Array("12345".utf8)))
            }
            try await withServer(handler) { _, port in
                let (heads, last) = try await client {
                    let connection = try RawClient(port: port)
                    let heads = try [
                        "HEAD /200", "HEAD /200?stream", "GET /204", "GET /304?stream", "HEAD /404", "GET /204?stream",
                    ].map { try connection.exchange("\($0) HTTP/1.1\r\nHost: a\r\n\r\n") }
                    return (heads, try connection.exchange("GET /777 HTTP/1.1\r\nHost: a\r\n\r\n"))
                }
                #expect(heads.map(\.status) == [200, 200, 204, 304, 404, 204])
                #expect(heads[0]["content-length"] == "5")
                #expect(heads[1]["content-length"] == "5")
                #expect(last.status == 500)
                #expect(last.text == "12345")
            }
        }

        @Test(arguments: [0, 1, 32_768, 32_769, 5_000_000])
        func bytesOfAnySizeComeWhole(_ size: Int) async throws {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let handler = ClosureHandler { _ in HTTPResponse(status: 200, body: .bytes(bytes)) }
            try await withServer(handler) { _, port in
                let body = try await client {
                    let connection = try RawClient(port: port)
                    _ = try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try connection.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body
                }
                #expect(body == bytes)
            }
        }

        @Test func partsOfFilesAreSent() async throws {
            let path = temporaryPath("file")
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let descriptor = open(path, O_CREAT | O_RDWR, 0o600)
            _ = write(descriptor, bytes, bytes.count)
            close(descriptor)
            defer { unlink(path) }
            let file = try HTTPFile(path: path)
            let handler = ClosureHandler { request in
                let numbers = request.head.path.split(separator: "/").compactMap { Int64($0) }
                return HTTPResponse(status: 206, body: .file(file, offset: numbers[0], length: numbers[1]))
            }
            try await withServer(handler) { _, port in
                for (offset, length) in [(0, 3_000_000), (1_000_001, 999_999), (5, 1), (17, 0)] {
                    let body = try await client {
                        try RawClient(port: port).exchange("GET /\(offset)/\(length) HTTP/1.1\r\nHost: a\r\n\r\n").body
                    }
                    #expect(body == Array(bytes[offset..<offset + length]))
                }
                let beyond = try await client {
                    try RawClient(port: port).exchange("GET /2999990/100 HTTP/1.1\r\nHost: a\r\n\r\n").status
                }
                #expect(beyond == 500, "the file does not have the range")
            }
            #expect(throws: HTTPServerError.self) { try HTTPFile(path: path + "-none") }
        }
    }
}

func temporaryPath(_ name: String) -> String {
    "/tmp/http-transport-\(getpid())-\(UInt32.random(in: 0 ... .max))-\(name)"
}
