import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusPushChannels

/// Messages to webhooks, as their receivers get them.
@Suite struct WebhookSenderTests {
    private let environment = TestEnvironment()
    private let key = [UInt8](repeating: 5, count: 32)

    private func sender(allowsPrivate: Bool = true) -> WebhookSender {
        WebhookSender(allowsPrivateEndpoints: allowsPrivate, environment.channels())
    }

    private func message(to url: String) throws -> WebhookMessage {
        WebhookMessage(
            id: "msg_1", url: url, secret: "whsec_" + Base64.string(key),
            context: CloudContext(
                container: try #require(ContainerIdentifier("iCloud.org.example.app")), environment: .production),
            events: [
                WebhookEvent(
                    number: 7, event: .update, recordType: "Note", recordName: "n \"1\"", zoneName: "_defaultZone",
                    recordChangeTag: "2", time: start)
            ], time: start + 999)
    }

    private func answered(_ answers: TestService.Answer...) async throws -> (WebhookOutcome, TestService.Received?) {
        let service = try TestService(success: 204, answers)
        let outcome = await sender().deliver(try message(to: "http://127.0.0.1:\(service.port)/changes?a=b"))
        let received = await service.next()
        await service.stop()
        return (outcome, received)
    }

    @Test func aMessageIsSignedAsStandardWebhooksSays() async throws {
        let (outcome, request) = try await answered()
        #expect(outcome == WebhookOutcome(.delivered, status: 204))
        let received = try #require(request)
        #expect(received.head.method == "POST" && received.head.target == "/changes?a=b")
        let headers = received.head.headers
        #expect(headers["webhook-id"] == "msg_1" && headers["webhook-timestamp"] == String(start / 1_000))
        let signed = Array("msg_1.\(start / 1_000).".utf8) + received.body
        #expect(headers["webhook-signature"] == "v1," + Base64.string(HMACSHA256(key: key).authenticate(signed)))
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(received.body)) as? [String: Any])
        let data = try #require(body["data"] as? [String: Any])
        #expect(data["environment"] as? String == "production")
        let event = try #require((data["events"] as? [[String: Any]])?.first)
        #expect(event["recordName"] as? String == "n \"1\"" && event["event"] as? String == "update")
        #expect(event["fields"] == nil)
        #expect(headers["traceparent"] == nil && headers["tracestate"] == nil)
    }

    @Test func aClientsTraceGoesAlong() async throws {
        let service = try TestService(success: 204)
        var message = try message(to: "http://127.0.0.1:\(service.port)/changes")
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        message.trace = TraceContext(traceparent: [parent], tracestate: ["a=1"])
        #expect(await sender().deliver(message).verdict == .delivered)
        let headers = try #require(await service.next()).head.headers
        #expect(headers["traceparent"] == parent && headers["tracestate"] == "a=1")
        await service.stop()
    }

    @Test(arguments: [(200, "delivered"), (299, "delivered"), (410, "gone")])
    func statusesThatEndIt(status: Int, verdict: String) async throws {
        let outcome = try await answered(TestService.Answer(status: status)).0
        #expect(outcome.verdict == (verdict == "gone" ? .gone : .delivered) && outcome.status == status)
    }

    @Test(arguments: [301, 302, 307, 400, 401, 404, 429, 500, 503])
    func statusesThatAreTriedAgain(status: Int) async throws {
        let answer = TestService.Answer(
            status: status, headers: [("Location", "http://127.0.0.1:1/"), ("Retry-After", "7")], body: "secret words")
        let outcome = try await answered(answer).0
        #expect(outcome.verdict == .retry(after: 7_000) && outcome.status == status)
        #expect(outcome.error?.contains("secret") == false)
    }

    @Test(arguments: [("86400", 86_400_000), ("9223372036854775807", 86_400_000), ("9223372036854775808", nil)])
    func endlessWaitsAreCut(seconds: String, wait: Int64?) async throws {
        let answer = TestService.Answer(status: 503, headers: [("Retry-After", seconds)])
        #expect(try await answered(answer).0.verdict == .retry(after: wait))
    }

    @Test func nobodyThereIsTriedAgain() async throws {
        let outcome = await sender().deliver(try message(to: "http://127.0.0.1:1/"))
        #expect(outcome.verdict == .retry(after: nil) && outcome.status == nil && outcome.error != nil)
    }

    @Test(
        "Threat 50: receivers inside the network are refused",
        arguments: [
            "http://app.example/", "https://127.0.0.1/", "https://localhost/", "https://a.localhost:8443/",
            "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/", "https://192.168.1.1/", "https://[::1]/",
            "https://[fe80::1]/", "https://[::ffff:10.0.0.1]/", "https://user@app.example/", "file:///etc/passwd",
            "https://app.example/#x", "ftp://app.example/", "https://", "",
        ])
    func threat50(url: String) async throws {
        #expect(sender(allowsPrivate: false).objection(to: url) != nil)
        let outcome = await sender(allowsPrivate: false).deliver(try message(to: url))
        #expect(outcome.verdict == .retry(after: nil) && outcome.status == nil)
    }

    /// A name may lead inside although it looks as if it did not: the connection is what counts.
    @Test func theAddressThatIsConnectedToIsLookedAt() async throws {
        let service = try TestService(success: 200)
        // Numbers that resolvers take for 127.0.0.1, and no reader of addresses does.
        let outcome = await sender(allowsPrivate: false).deliver(try message(to: "https://2130706433:\(service.port)/"))
        #expect(outcome.verdict == .retry(after: nil) && outcome.error?.contains("forbiddenAddress") == true)
        await service.stop()
    }

    @Test func theInternetIsAllowed() {
        for url in ["https://app.example/changes", "https://93.184.216.34/", "https://[2606:2800:220:1::1]:8443/x"] {
            #expect(sender(allowsPrivate: false).objection(to: url) == nil)
        }
        #expect(sender().objection(to: "http://192.168.1.1/x") == nil)
    }
}
