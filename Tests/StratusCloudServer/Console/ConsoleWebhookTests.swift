import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Webhooks through the console.
@Suite struct ConsoleWebhookTests {
    private static let webhooks = "c/\(TestCloud.container)/development/webhooks"

    /// A receiver that takes everything.
    private final class Receiver: WebhookChannel {
        private let sent = AsyncStream<WebhookMessage>.makeStream()

        func objection(to url: String) -> String? { url.hasPrefix("https://") ? nil : "must be an https address" }

        func deliver(_ message: WebhookMessage) async -> WebhookOutcome {
            sent.continuation.yield(message)
            return WebhookOutcome(.delivered, status: 200)
        }

        func next() async -> WebhookMessage? {
            for await message in sent.stream { return message }
            return nil
        }
    }

    @Test func theyAreMadeToldChangedAndRemoved() async throws {
        let receiver = Receiver()
        let place = try await ConsolePlace(try await TestCloud(webhooks: receiver))
        let developer = try await place.developer("developer")
        let bad = try await developer.send("POST", Self.webhooks, ["url": "ftp://x", "types": ["Note"]])
        #expect(bad.status == 400 && (bad.json["reason"] as? String)?.contains("url") == true)
        let made = try await developer.send(
            "POST", Self.webhooks, ["url": "https://app.example/x", "types": ["Note"], "events": ["create"]])
        let secret = try #require(made.json["secret"] as? String, "\(made.body)")
        let id = try #require(made.json["id"] as? String)
        #expect(secret.hasPrefix("whsec_"))
        _ = try await developer.ck("records/modify", Body.save("Note", "n"))
        let message = try #require(await receiver.next())
        #expect(message.secret == secret && message.events.map(\.recordName) == ["n"])
        var list = try await developer.get(Self.webhooks)
        while (list.json["webhooks"] as? [[String: Any]])?.first?["lastStatus"] as? Int != 200 {
            list = try await developer.get(Self.webhooks)
        }
        #expect(!list.body.contains(secret))
        let deliveries = try await developer.get("\(Self.webhooks)/\(id)/deliveries").json["deliveries"]
        #expect((deliveries as? [[String: Any]])?.first?["status"] as? Int == 200)
        #expect(try await developer.send("PUT", "\(Self.webhooks)/\(id)", ["events": ["explode"]]).status == 400)
        #expect(try await developer.send("PUT", "\(Self.webhooks)/\(id)", ["enabled": false]).status == 200)
        let off = try await developer.get(Self.webhooks).json["webhooks"] as? [[String: Any]]
        #expect(off?.first?["enabled"] as? Bool == false && off?.first?["events"] as? [String] == ["create"])
        #expect(try await developer.send("DELETE", "\(Self.webhooks)/\(id)").status == 200)
        #expect(try await developer.get("\(Self.webhooks)/\(id)/deliveries").status == 404)
        await place.stop()
    }

    /// A webhook of one container is nothing in another, nor in the other environment.
    @Test func theyBelongToTheirEnvironment() async throws {
        let place = try await ConsolePlace(try await TestCloud(webhooks: Receiver()))
        let made = try await place.owner.send(
            "POST", Self.webhooks, ["url": "https://app.example/x", "types": ["Note"]])
        let id = try #require(made.json["id"] as? String)
        let production = "c/\(TestCloud.container)/production/webhooks"
        #expect(try await place.owner.send("DELETE", "\(production)/\(id)").status == 404)
        #expect(try await place.owner.get("\(production)/\(id)/deliveries").status == 404)
        #expect((try await place.owner.get(production).json["webhooks"] as? [Any])?.isEmpty == true)
        await place.stop()
    }
}
