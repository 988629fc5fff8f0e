import Foundation
import StratusCZlib
import StratusCloudService
import StratusHTTPTransport
import Testing

@testable import StratusCloudServer

/// Answers of the console's API are compressed for who takes it, unless there may be a secret in them.
@Suite struct ConsoleCompressionTests {
    private static let path = "c/\(TestCloud.container)/development"
    private static let accepting = [ConsolePlace.Browser.ownHeader, ("Accept-Encoding", "gzip, br")]

    /// What gzip made of something.
    private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        try #require(inflateInit2_(&stream, 15 + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: 1 << 20))
        let (status, count) = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return (inflate(&stream, Z_FINISH), Int(stream.total_out))
            }
        }
        try #require(status == Z_STREAM_END)
        return Array(output[..<count])
    }

    private func designed(_ place: ConsolePlace) async throws {
        let fields = (0..<40).map { "field\($0) STRING QUERYABLE" }.joined(separator: ", ")
        let answer = try await place.owner.send(
            "POST", "\(Self.path)/schema/import",
            ["text": "DEFINE SCHEMA RECORD TYPE Wide (\"___recordID\" REFERENCE QUERYABLE, \(fields));"])
        try #require(answer.status == 200, "\(answer.body)")
    }

    @Test func whatIsReadIsTheSameInFewerBytes() async throws {
        let place = try await ConsolePlace()
        try await designed(place)
        for path in ["\(Self.path)/schema", "\(Self.path)/telemetry"] {
            let plain = try await place.owner.get(path)
            #expect(plain["Content-Encoding"] == nil && plain["Vary"] == "Accept-Encoding")
            #expect(plain.bodyBytes.count >= ServerLimits.compressedAnswerSize)
            let small = try await place.owner.send("GET", path, headers: Self.accepting)
            #expect(small.status == 200 && small["Content-Encoding"] == "gzip" && small["Vary"] == "Accept-Encoding")
            #expect(small["Content-Length"] == String(small.bodyBytes.count))
            #expect(small.bodyBytes.count < plain.bodyBytes.count / 3)
            #expect(try inflated(small.bodyBytes) == plain.bodyBytes)
            let refused = [("Accept-Encoding", "gzip;q=0")]
            #expect(try await place.owner.send("GET", path, headers: refused).bodyBytes == plain.bodyBytes)
        }
        let short = try await place.owner.send("GET", "session", headers: Self.accepting)
        #expect(short.status == 200 && short["Content-Encoding"] == nil && short["Vary"] == nil)
        await place.stop()
    }

    @Test("An answer is compressed from so many bytes on", arguments: [-1, 0])
    func threshold(difference: Int) {
        var answer = ConsoleAnswer(
            .string(String(repeating: "a", count: ServerLimits.compressedAnswerSize - 2 + difference)))
        answer.isCompressible = true
        let head = HTTPRequestHead(method: "GET", target: "/", headers: HTTPHeaders([("Accept-Encoding", "gzip")]))
        let response = answer.response(to: head, requestUUID: "")
        #expect(response.headers.contains { $0.0 == "Content-Encoding" } == (difference == 0))
    }

    /// Secrets are told by what makes them, and records mix what several people wrote.
    @Test("Whatever is no mere reading is sent as it is, however long") func secrets() async throws {
        let place = try await ConsolePlace()
        try await designed(place)
        let text = String(repeating: "text ", count: 1_000)
        _ = try await place.owner.ck("records/modify", Body.save("Wide", "one", ["field0": text]))
        let requests: [(String, [String: Any])] = [
            ("\(Self.path)/ck/public/records/lookup", Body.lookUp("one")),
            ("\(Self.path)/ck/public/records/query", ["query": ["recordType": "Wide"]]),
            ("\(Self.path)/tokens", ["name": "a token"]), ("\(Self.path)/keys", ["name": "a key"]),
            ("c/\(TestCloud.container)/team", ["email": "new@example.org", "role": "viewer"]),
            ("c/\(TestCloud.container)/development/test-accounts", [:]),
            ("sign-in", ["email": "owner@example.org", "password": ConsolePlace.password]),
        ]
        for (path, body) in requests {
            let answer = try await place.owner.send("POST", path, body, headers: Self.accepting)
            #expect(answer.status == 200 && answer["Content-Encoding"] == nil, "\(path): \(answer.body.prefix(200))")
            #expect(!answer.json.isEmpty)
        }
        for path in ["\(Self.path)/log?follow=0", "\(Self.path)/export?type=Wide"] {
            let stream = try await place.owner.send("GET", path, headers: Self.accepting)
            #expect(stream.status == 200 && stream["Content-Encoding"] == nil, "\(path)")
        }
        await place.stop()
    }
}
