import Foundation
import Testing

@testable import StratusHTTPTransport

extension HTTPTransportTests {
    /// What requests and answers may take of the memory together.
    @Suite struct MemoryTests {
        private let handler = ClosureHandler(
            policy: { _ in .buffered(limit: 1_000_000) },
            answer: { HTTPResponse(status: 200, body: .bytes(Array("\($0.body.bytes.count)".utf8))) })

        private static func head(_ length: Int, client: String = "a") -> String {
            "POST / HTTP/1.1\r\nHost: a\r\nX-Client: \(client)\r\nContent-Length: \(length)\r\n\r\n"
        }

        private static func chunkedHead(client: String = "a") -> String {
            "POST / HTTP/1.1\r\nHost: a\r\nX-Client: \(client)\r\nTransfer-Encoding: chunked\r\n\r\n"
        }

        /// Sends the beginning of a body, and waits until the server has it.
        private static func begin(_ server: HTTPServer, _ port: UInt16, client: String = "a") throws -> RawClient {
            let connection = try RawClient(port: port)
            let before = server.statistics().bufferedBodyBytes
            try connection.send(head(800_000, client: client))
            try connection.send([UInt8](repeating: 1, count: 700_000))
            while server.statistics().bufferedBodyBytes < before + 700_000 { sched_yield() }
            return connection
        }

        @Test func bodiesOfOneClientHaveAShare() async throws {
            var limits = HTTPServerLimits()
            limits.bufferedBodyBytesPerClient = 1_000_000
            try await withServer(handler, limits: limits) { server, port in
                let (refused, chunked, other, most, after) = try await client {
                    let first = try Self.begin(server, port)
                    let refused = try RawClient(port: port).exchange(Self.head(800_000))
                    // The size of this one is not known before it comes.
                    let endless = try RawClient(port: port)
                    try endless.send(Self.chunkedHead() + "c3500\r\n")
                    do { try endless.send([UInt8](repeating: 1, count: 800_000)) } catch {}
                    let chunked = try endless.readResponse()
                    let most = server.statistics().bufferedBodyBytes
                    let other = try RawClient(port: port)
                    try other.send(Self.head(800_000, client: "b"))
                    try other.send([UInt8](repeating: 1, count: 800_000))
                    let otherText = try other.readResponse().text
                    first.close()
                    while server.statistics().bufferedBodyBytes > 0 { sched_yield() }
                    let last = try RawClient(port: port)
                    try last.send(Self.head(800_000))
                    try last.send([UInt8](repeating: 1, count: 800_000))
                    return (refused, chunked, otherText, most, try last.readResponse().text)
                }
                for response in [refused, chunked] {
                    #expect(response.status == 503 && response["retry-after"] == "1" && response.closes)
                }
                #expect(most <= 1_000_000)
                #expect(other == "800000" && after == "800000")
                #expect(server.statistics().refusedBodies == 2)
            }
        }

        @Test func allBodiesTogetherAreBounded() async throws {
            var limits = HTTPServerLimits()
            limits.bufferedBodyBytes = 1_600_000
            try await withServer(handler, limits: limits) { server, port in
                let (status, small) = try await client {
                    let open = try ["a", "b"].map { try Self.begin(server, port, client: $0) }
                    let status = try RawClient(port: port).exchange(Self.head(800_000, client: "c")).status
                    // What is small has room: the number of connections bounds it.
                    let small = try RawClient(port: port).exchange(Self.head(3, client: "c") + "abc").text
                    for connection in open { connection.close() }
                    return (status, small)
                }
                #expect(status == 503)
                #expect(small == "3")
            }
        }

        /// The attack: many clients announce large bodies without a credential, and send nearly all of them.
        @Test func aLargeBodyIsReceivedOnceTheHandlerAgreed() async throws {
            let asked = Event<Bool>()
            var handler = handler
            handler.refusal = { head in
                await asked.happen(true)
                return head.headers["X-Token"] == nil ? HTTPResponse(status: 401) : nil
            }
            try await withServer(handler) { server, port in
                let (small, statuses, admitted, continued) = try await client {
                    let small = try RawClient(port: port)
                    try small.send(Self.head(65_536))
                    try small.send([UInt8](repeating: 1, count: 65_536))
                    let attackers = try (0..<20).map { number in
                        let connection = try RawClient(port: port)
                        try connection.send(number % 2 == 0 ? Self.head(1_000_000) : Self.chunkedHead() + "f0000\r\n")
                        do { try connection.send([UInt8](repeating: 1, count: 900_000)) } catch {}
                        return connection
                    }
                    let statuses = Set(try attackers.map { try $0.readResponse().status })
                    let admitted = try RawClient(port: port)
                    let known = Self.head(1_000_000).replacingOccurrences(of: "X-Client", with: "X-Token")
                    try admitted.send(known)
                    try admitted.send([UInt8](repeating: 1, count: 1_000_000))
                    let continued = try RawClient(port: port)
                    try continued.send(
                        known.replacingOccurrences(of: "Host: a\r\n", with: "Host: a\r\nExpect: 100-continue\r\n"))
                    let line = try continued.readHead().status
                    try continued.send([UInt8](repeating: 1, count: 1_000_000))
                    return (
                        try small.readResponse().text, statuses, try admitted.readResponse().text,
                        "\(line) \(try continued.readResponse().text)"
                    )
                }
                #expect(small == "65536")
                #expect(statuses == [401])
                #expect(admitted == "1000000")
                #expect(continued == "100 1000000")
                #expect(await asked.wait())
            }
        }

        @Test func aStopDoesNotWaitForAHandlerThatDecidesNothing() async throws {
            let (asked, over) = (Event<Bool>(), Event<Bool>())
            var handler = handler
            handler.refusal = { _ in
                await asked.happen(true)
                _ = await over.wait()
                return nil
            }
            try await withServer(handler) { server, port in
                let connection = try await client {
                    let connection = try RawClient(port: port)
                    try connection.send(Self.head(1_000_000))
                    return UncheckedBox(value: connection)
                }
                _ = await asked.wait()
                await server.stop(drainingFor: .milliseconds(50))
                let status = try await client { try connection.value.readResponse().status }
                #expect(status == 503)
                await over.happen(true)
            }
        }

        /// The attack: answers that are asked for and never read.
        @Test func clientsThatDoNotReadAreCutOff() async throws {
            let size = 16_000_000
            let handler = ClosureHandler { _ in
                HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 7, count: size)))
            }
            var limits = HTTPServerLimits()
            limits.waitingAnswerBytesPerClient = 40_000_000
            try await withServer(handler, limits: limits) { server, port in
                let sizes = try await client {
                    let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    let open = try (0..<6).map { number in
                        let connection = try RawClient(port: port)
                        try connection.send(request)
                        // One after the other, so that their order is known.
                        while server.statistics().waitingAnswerBytes + server.statistics().cutAnswers * size
                            < (number + 1) * size
                        { sched_yield() }
                        return connection
                    }
                    return try open.map { connection in
                        _ = try connection.readHead()
                        return connection.drain(.max)
                    }
                }
                #expect(sizes.prefix(4).allSatisfy { $0 < size }, "\(sizes)")
                #expect(sizes.suffix(2) == [size, size], "\(sizes)")
                #expect(server.statistics().cutAnswers == 4)
                try await client { while server.statistics().waitingAnswerBytes > 0 { sched_yield() } }
            }
        }

        @Test func whoHoldsMostGivesWay() {
            var answers = WaitingAnswers<String>(total: 100, perClient: 60)
            let first = answers.add("a1", bytes: 30, client: "a")
            #expect(answers.add("a2", bytes: 30, client: "a").cut == [])
            #expect(answers.add("b1", bytes: 40, client: "b").cut == [])
            #expect(answers.bytes == 100)
            #expect(answers.add("c1", bytes: 10, client: "c").cut == ["a1"])
            answers.remove(first.id)
            #expect(answers.bytes == 80)
            // A client over its share loses its own, and never its only one.
            #expect(answers.add("a3", bytes: 61, client: "a").cut == ["a2"])
            #expect(answers.bytes == 111)
            #expect(answers.add("d1", bytes: 200, client: "d").cut == [])
        }
    }
}
