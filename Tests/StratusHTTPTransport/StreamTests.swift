import Glibc
import StratusHTTPTransport
import Testing

extension HTTPTransportTests {
    @Suite struct StreamTests {
        /// In a process of its own, whose memory nobody else uses.
        @Test func aHugeUploadPassesThroughSteadyMemory() async {
            await #expect(processExitsWith: .success) { try await uploadHugely() }
        }

        @Test func aSlowReaderMakesTheClientWait() async throws {
            let (mayRead, size) = (Event<Bool>(), 50_000_000)
            let handler = ClosureHandler.streaming { request in
                _ = await mayRead.wait()
                var count = 0
                do { for try await piece in request.body { count += piece.count } } catch {
                    return HTTPResponse(status: 500)
                }
                return HTTPResponse(status: 200, body: .bytes(Array("\(count)".utf8)))
            }
            try await withServer(handler) { _, port in
                let (stalledAt, text) = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
                    let stalledAt = connection.sendUntilStalled(size)
                    Task { await mayRead.happen(true) }
                    try connection.send([UInt8](repeating: 1, count: size - stalledAt))
                    return (stalledAt, try connection.readResponse().text)
                }
                #expect(stalledAt < 20_000_000, "kernel buffers and 64 KiB, not the whole body")
                #expect(text == "\(size)")
            }
        }

        @Test func aStreamedBodyOverTheLimitFailsForReaderAndClient() async throws {
            let outcome = Event<String>()
            let handler = ClosureHandler.streaming(limit: 100_000) { request in
                do {
                    for try await _ in request.body {}
                    await outcome.happen("whole")
                } catch { await outcome.happen("\(error)") }
                return HTTPResponse(status: 200)
            }
            try await withServer(handler) { _, port in
                let status = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n30d40\r\n")
                    do { try connection.send([UInt8](repeating: 1, count: 200_000)) } catch {}
                    return try connection.readResponse().status
                }
                #expect(status == 413)
                #expect(await outcome.wait() == "bodyTooLarge")
            }
        }

        @Test func anAnswerWithoutReadingTheBodyKeepsTheConnection() async throws {
            let handler = ClosureHandler.streaming { _ in HTTPResponse(status: 403) }
            try await withServer(handler) { _, port in
                let statuses = try await client {
                    let connection = try RawClient(port: port)
                    return try (0..<3).map { _ in
                        try connection.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                        try connection.send([UInt8](repeating: 1, count: 1_000_000))
                        return try connection.readResponse().status
                    }
                }
                #expect(statuses == [403, 403, 403])
            }
        }

        /// In a process of its own, whose memory nobody else uses.
        @Test func aHugeDownloadPassesThroughSteadyMemory() async {
            await #expect(processExitsWith: .success) {
                for length: Int64? in [nil, 100_000_000] { try await downloadHugely(length) }
            }
        }

        @Test func chunksComeAsTheyAreWritten() async throws {
            let mayGoOn = Event<Bool>()
            let handler = ClosureHandler { _ in
                HTTPResponse(
                    status: 200,
                    body: .stream(contentLength: nil) { writer in
                        try await writer.write(Array("first".utf8))
                        _ = await mayGoOn.wait()
                        try await writer.write(Array("second".utf8))
                    })
            }
            try await withServer(handler) { _, port in
                let (first, rest) = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try connection.readHead()
                    _ = try connection.readLine()
                    let first = try connection.readLine()
                    Task { await mayGoOn.happen(true) }
                    return (first, [try connection.readLine(), try connection.readLine(), try connection.readLine()])
                }
                #expect(first == "first")
                #expect(rest == ["6", "second", "0"])
            }
        }

        @Test(arguments: ["throws", "short", "long"])
        func aBodyThatIsNotWholeClosesTheConnection(_ kind: String) async throws {
            struct Trouble: Error {}
            let handler = ClosureHandler { _ in
                HTTPResponse(
                    status: 200,
                    body: .stream(contentLength: kind == "throws" ? nil : 10) { writer in
                        try await writer.write(Array("12345".utf8))
                        if kind == "throws" { throw Trouble() }
                        if kind == "long" { try await writer.write(Array("123456".utf8)) }
                    })
            }
            try await withServer(handler) { _, port in
                let rest = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try connection.readHead()
                    return String(decoding: connection.readToEnd(), as: UTF8.self)
                }
                #expect(!rest.hasSuffix("0\r\n\r\n"))
                #expect(!rest.contains("123456"))
            }
        }

        @Test func aWriterWhoseClientIsGoneIsTold() async throws {
            let outcome = Event<String>()
            let handler = ClosureHandler { _ in
                HTTPResponse(
                    status: 200,
                    body: .stream(contentLength: nil) { writer in
                        do { while true { try await writer.write([UInt8](repeating: 1, count: 10_000)) } } catch {
                            await outcome.happen("\(error)")
                            throw error
                        }
                    })
            }
            try await withServer(handler) { _, port in
                try await client {
                    let connection = try RawClient(port: port)
                    try connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = connection.drain(1_000_000)
                }
                #expect(["connectionClosed", "CancellationError()"].contains(await outcome.wait()))
            }
        }
    }
}

private func uploadHugely() async throws {
    let size = 100_000_000
    let handler = ClosureHandler.streaming { request in
        var (count, sum) = (0, 0)
        do {
            for try await piece in request.body {
                count += piece.count
                sum = piece.reduce(sum) { $0 &+ Int($1) }
            }
        } catch { return HTTPResponse(status: 500) }
        return HTTPResponse(status: 200, body: .bytes(Array("\(count) \(sum)".utf8)))
    }
    try await withServer(handler) { _, port in
        let before = residentBytes()
        let text = try await client {
            let connection = try RawClient(port: port)
            try connection.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
            let piece = [UInt8](repeating: 3, count: 100_000)
            for _ in 0..<size / piece.count { try connection.send(piece) }
            return try connection.readResponse().text
        }
        #expect(text == "\(size) \(size * 3)")
        #expect(residentBytes() - before < 30_000_000)
    }
}

private func downloadHugely(_ length: Int64?) async throws {
    let size = 100_000_000
    let handler = ClosureHandler { _ in
        HTTPResponse(
            status: 200,
            body: .stream(contentLength: length) { writer in
                let piece = [UInt8](repeating: 7, count: 50_000)
                for _ in 0..<size / piece.count { try await writer.write(piece) }
            })
    }
    try await withServer(handler) { _, port in
        let before = residentBytes()
        let (head, count) = try await client {
            let connection = try RawClient(port: port)
            try connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return (try connection.readHead(), connection.drain(.max))
        }
        #expect(head["content-length"] == length.map { "\($0)" })
        #expect(head["transfer-encoding"] == (length == nil ? "chunked" : nil))
        #expect(length == nil ? count > size : count == size)
        #expect(residentBytes() - before < 30_000_000)
    }
}

/// What the process holds in memory.
private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var (total, resident) = (0, 0)
    _ = withUnsafeMutablePointer(to: &total) { total in
        withUnsafeMutablePointer(to: &resident) { resident in
            withVaList([total, resident]) { vfscanf(file, "%ld %ld", $0) }
        }
    }
    return resident * 4_096
}
