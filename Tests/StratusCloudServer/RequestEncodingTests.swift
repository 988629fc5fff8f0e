import StratusCloudModel
import Testing

@testable import StratusCloudServer

/// Bodies of web services that come compressed.
@Suite struct RequestEncodingTests {
    private static let lookup = Array(#"{"records":[{"recordName":"none"}]}"#.utf8)

    private func post(_ bytes: [UInt8], _ coding: String, to cloud: TestCloud) async throws -> RawResponse {
        let token = try await cloud.webAuthToken()
        return try await cloud.client.send(
            "POST", TestCloud.path("private/records/lookup") + "?ckAPIToken=\(cloud.apiToken)&ckWebAuthToken=\(token)",
            headers: [("Content-Encoding", coding)], bytes: bytes)
    }

    /// A body of so many bytes, compressed.
    private func compressed(_ body: [UInt8], size: Int) throws -> [UInt8] {
        try #require(Gzip.compress(body + [UInt8](repeating: 0x20, count: size - body.count), .most))
    }

    @Test(arguments: ["gzip", "GZip", "x-gzip", " gzip ", "identity, gzip"])
    func gzipIsDecoded(coding: String) async throws {
        let cloud = try await TestCloud()
        let answer = try await post(try compressed(Self.lookup, size: 5_000), coding, to: cloud)
        #expect(answer.status == 200 && answer.body.contains("NOT_FOUND"), "\(answer.body)")
        #expect(try await post(Self.lookup, "identity", to: cloud).status == 200)
        await cloud.stop()
    }

    @Test(arguments: ["br", "deflate", "gzip, gzip", "zstd", "compress", "gzip;q=1"])
    func otherEncodingsAreRefusedBeforeTheBody(coding: String) async throws {
        let cloud = try await TestCloud()
        let answer = try await post(try compressed(Self.lookup, size: 5_000), coding, to: cloud)
        #expect(answer.status == 415 && answer.code == "BAD_REQUEST" && answer.isWholeError, "\(answer.body)")
        #expect(answer["Accept-Encoding"] == "gzip")
        await cloud.stop()
    }

    @Test func aBodyIsBoundedByWhatItBecomes() async throws {
        let limit = ServerLimits.bodySizes.lowerBound
        let cloud = try await TestCloud(configure: { $0.bodyLimit = limit })
        let most = try compressed(Self.lookup, size: limit)
        #expect(try await post(most, "gzip", to: cloud).status == 200)
        for bomb in [try compressed(Self.lookup, size: limit + 1), try compressed(Self.lookup, size: 50_000_000)] {
            #expect(bomb.count < limit)
            let answer = try await post(bomb, "gzip", to: cloud)
            #expect(answer.status == 413 && answer.code == "QUOTA_EXCEEDED" && answer.isWholeError, "\(answer.body)")
            #expect(answer.json["extensionErrorCode"] as? String == "LIMIT_EXCEEDED")
        }
        await cloud.stop()
    }

    @Test func bytesThatAreNoWholeMemberAreRefused() async throws {
        let cloud = try await TestCloud()
        let whole = try compressed(Self.lookup, size: 5_000)
        var lying = try compressed(Self.lookup, size: 50_000_000)
        lying.replaceSubrange((lying.count - 4)..., with: [100, 0, 0, 0])
        var damaged = whole
        damaged[whole.count / 2] ^= 0x55
        for bytes in [
            Self.lookup, Array(whole.dropLast()), Array(whole.prefix(10)), [0x1F], whole + [0], whole + whole, lying,
            damaged,
        ] {
            let answer = try await post(bytes, "gzip", to: cloud)
            #expect(answer.status == 400 || answer.status == 413, "\(answer.body)")
            #expect(answer.isWholeError)
        }
        #expect(try await post(lying, "gzip", to: cloud).body.contains("gzip member"))
        await cloud.stop()
    }
}
