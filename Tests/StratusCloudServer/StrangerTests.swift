import Foundation
import StratusTelemetry
import Testing

@testable import StratusCloudServer

/// What those who have no credential can make the server hold and write.
@Suite struct StrangerTests {
    /// A body that the server would hold, as large as it may be.
    private func target(_ cloud: TestCloud, token: String?) -> String {
        TestCloud.path("public/records/lookup") + (token.map { "?ckAPIToken=\($0)" } ?? "")
    }

    /// The attack: bodies of 16 MiB that are announced without a credential, and never end.
    @Test(arguments: [nil, "", "00", String(repeating: "a", count: 64)])
    func largeBodiesAreRefusedBeforeTheyCome(token: String?) async throws {
        let cloud = try await TestCloud()
        for framing in ["Content-Length: \(ServerLimits.bodySize)", "Transfer-Encoding: chunked"] {
            let answer = try await cloud.client.sendHead("POST", target(cloud, token: token), headers: [framing])
            #expect(answer.status == 401)
            #expect(answer.code == "AUTHENTICATION_FAILED" && answer.isWholeError)
            #expect(answer["Connection"] == "close")
        }
        await cloud.stop()
    }

    @Test func soAreThoseOfUnknownKeysAndSessions() async throws {
        let cloud = try await TestCloud()
        let length = "Content-Length: \(ServerLimits.bodySize)"
        let date = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(TestCloud.start) / 1_000))
        let signed = try await cloud.client.sendHead(
            "POST", target(cloud, token: nil),
            headers: [
                length, "X-Apple-CloudKit-Request-KeyID: \(String(repeating: "a", count: 64))",
                "X-Apple-CloudKit-Request-ISO8601Date: \(date)", "X-Apple-CloudKit-Request-SignatureV1: MAYCAQECAQE=",
            ])
        #expect(signed.code == "AUTHENTICATION_FAILED")
        let console = try await cloud.client.sendHead(
            "POST", "/console/api/c/\(TestCloud.container)/development/schema/import",
            headers: [length, "X-Stratus-Console: 1"])
        // The console has a shape of its own for errors.
        #expect(console.status == 401)
        #expect(console.json["error"] as? String == "AUTHENTICATION_REQUIRED", "\(console.body)")
        let nowhere = try await cloud.client.sendHead("POST", "/database/1/none", headers: [length])
        #expect(nowhere.status == 404)
        await cloud.stop()
    }

    @Test func thoseOfKnownTokensCome() async throws {
        let cloud = try await TestCloud()
        let padding = String(repeating: " ", count: 1_000_000)
        let answer = try await cloud.call("POST", "public/records/lookup", body: #"{"records":[]}"# + padding)
        #expect(answer.status == 200)
        await cloud.stop()
    }

    /// The attack: requests that are refused, to fill the log.
    @Test func theirLogLinesAreShortAndFew() async throws {
        let cloud = try await TestCloud(logLevel: .info)
        let count = 200
        let long = String(repeating: "x", count: 3_000)
        let start = ContinuousClock.now
        for number in 0..<count {
            let path = number % 2 == 0 ? "/\(long)" : TestCloud.path("public/users/caller") + "?ckAPIToken=\(long)"
            #expect(try await cloud.client.send("GET", path).status >= 400)
        }
        let seconds = Int((ContinuousClock.now - start).components.seconds) + 2
        let known = try await cloud.call("POST", "private/zones/list")
        await cloud.stop()
        let lines = await cloud.log.text().split(separator: "\n")
        let requests = lines.filter { $0.contains(#""message":"request""#) && !$0.contains("zones/list") }
        #expect(requests.count <= seconds * ServerLimits.strangerLogLines && requests.count > 0)
        #expect(requests.allSatisfy { $0.utf8.count < 600 })
        let suppressed = try lines.filter { $0.contains("were not logged") }.reduce(0) { sum, line in
            let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return sum + (fields?["count"] as? Int ?? 0)
        }
        #expect(requests.count + suppressed == count)
        #expect(lines.contains { $0.contains(known["X-Apple-Request-UUID"] ?? "-") }, "others are not held back")
    }

    @Test func aSecondHasSoManyLines() {
        var rate = LineRate(perSecond: 2)
        #expect((0..<5).map { _ in rate.admit(at: 7) } == [true, true, false, false, false])
        let isNextAdmitted = rate.admit(at: 8)
        #expect(isNextAdmitted)
        #expect(rate.takeSuppressed() == 3)
        #expect(rate.takeSuppressed() == 0)
    }
}
