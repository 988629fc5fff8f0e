import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusCloudWire
import Testing

@testable import StratusPushChannels

@Suite("Web Push", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs openssl"))
struct WebPushTests {
    private let certificate: TestCertificate
    private let environment = TestEnvironment()
    private let key: P256PrivateKey

    init() throws {
        certificate = try TestCertificate()
        key = try P256PrivateKey.generate()
    }

    private func channel(allowsPrivateEndpoints: Bool = true) throws -> WebPushChannel {
        try WebPushChannel(
            WebPushConfiguration(
                key: key, contact: "mailto:ada@example.org", allowsPrivateEndpoints: allowsPrivateEndpoints),
            environment.channels(trusting: certificate.certificate))
    }

    private func withService<Result>(
        _ answers: [TestService.Answer] = [], _ body: (TestService) async throws -> Result
    ) async throws -> Result {
        let service = try TestService(success: 201, tls: try certificate.tls, answers)
        do {
            let result = try await body(service)
            await service.stop()
            return result
        } catch {
            await service.stop()
            throw error
        }
    }

    @Test("A browser's push service gets what only the browser can read, from a sender that proves itself")
    func delivery() async throws {
        let browser = try TestBrowser()
        try await withService { service in
            let origin = "https://127.0.0.1:\(service.port)"
            let told = try message {
                $0.body = CloudNotification.Text("There is news")
                $0.collapseID = "news"
            }
            var traced = told
            traced.trace = TraceContext(
                traceparent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"], tracestate: ["a=1"])
            let address = PushAddress.webPush(try browser.address("\(origin)/send/1?a=b"))
            #expect(try await channel().deliver(traced, to: address) == .delivered)
            let first = try #require(await service.next()).head.headers
            #expect(first["traceparent"] == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            #expect(first["tracestate"] == "a=1")
            let outcome = try await channel().deliver(told, to: address)
            #expect(outcome == .delivered)
            let request = try #require(await service.next())
            #expect(request.head.headers["traceparent"] == nil)
            #expect(request.head.method == "POST" && request.head.target == "/send/1?a=b")
            let headers = request.head.headers
            #expect(headers["Content-Encoding"] == "aes128gcm" && headers["TTL"] == "3600")
            #expect(headers["Urgency"] == "high" && headers["Topic"]?.utf8.count == 32)
            #expect(try browser.decrypt(request.body) == NotificationEncoder().payload(told.notification))
            let authorization = try #require(headers["Authorization"])
            let parts = try #require(authorization.wholeMatch(of: /vapid t=([^ ,]+), k=([^ ,]+)/))
            #expect(try base64URL(String(parts.2)) == key.publicKey.point())
            let token = try VerifiedToken(parts.1, key.publicKey)
            #expect(token.header["alg"] as? String == "ES256" && token.header["typ"] as? String == "JWT")
            #expect(token.claims["aud"] as? String == origin)
            #expect(token.claims["sub"] as? String == "mailto:ada@example.org")
            #expect(token.claims["exp"] as? Int64 == start / 1_000 + 12 * 3_600)
        }
    }

    @Test("The largest message fits what push services must take")
    func size() async throws {
        let browser = try TestBrowser()
        try await withService { service in
            let told = try message {
                $0.title = CloudNotification.Text(String(repeating: "t", count: 3_000))
                $0.body = CloudNotification.Text(String(repeating: "b", count: 3_700))
            }
            let address = PushAddress.webPush(try browser.address("https://127.0.0.1:\(service.port)/"))
            #expect(try await channel().deliver(told, to: address) == .delivered)
            let body = try #require(await service.next()).body
            #expect(body.count <= PushChannelLimits.webPushMessage && body.count > 3_700)
            let text = String(decoding: try browser.decrypt(body), as: UTF8.self)
            #expect(text.contains(#""p":1"#))
        }
    }

    @Test("Threat 51: answers of a push service")
    func answers() async throws {
        let browser = try TestBrowser()
        let cases: [(TestService.Answer, (PushOutcome) -> Bool)] = [
            (.init(status: 200), { $0 == .delivered }), (.init(status: 404), { $0 == .gone }),
            (.init(status: 410), { $0 == .gone }),
            (.init(status: 429, headers: [("Retry-After", "7")]), { $0 == .retry(afterSeconds: 7) }),
            (
                .init(status: 503, headers: [("Retry-After", "Thu, 01 Jan 2026 00:02:00 GMT")]),
                { $0 == .retry(afterSeconds: 120) }
            ),
            (.init(status: 500), { $0 == .retry(afterSeconds: nil) }),
            (.init(status: 413), { if case .refused = $0 { true } else { false } }),
            (.init(status: 301, headers: [("Location", "/")]), { if case .refused = $0 { true } else { false } }),
        ]
        try await withService(cases.map(\.0)) { service in
            let channel = try channel()
            let address = PushAddress.webPush(try browser.address("https://127.0.0.1:\(service.port)/"))
            for (answer, isExpected) in cases {
                let outcome = await channel.deliver(try message(), to: address)
                #expect(isExpected(outcome), "\(answer.status): \(outcome)")
            }
        }
        let address = PushAddress.webPush(try browser.address("https://127.0.0.1:1/"))
        #expect(try await channel().deliver(message(), to: address) == .retry(afterSeconds: nil))
    }

    @Test("Clients cannot make the server fetch from its own network")
    func privateEndpoints() async throws {
        let browser = try TestBrowser()
        try await withService { service in
            let channel = try channel(allowsPrivateEndpoints: false)
            for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254"] {
                // The form with both colons and dots is not read at all.
                let address = PushAddress.webPush(try browser.address("https://\(host):\(service.port)/"))
                switch await channel.deliver(try message(), to: address) {
                case .refused(let reason): #expect(reason.contains("private"), "\(host)")
                case .gone: #expect(OutsideEndpoint("https://\(host):\(service.port)/") == nil, "\(host)")
                case let outcome: Issue.record("\(host): \(outcome)")
                }
            }
        }
    }

    @Test func addressesThatCannotWorkAreForgotten() async throws {
        let channel = try channel()
        let browser = try TestBrowser()
        #expect(try await channel.deliver(message(), to: .webPush(browser.address("https://a@b/"))) == .gone)
        let noPoint = WebPushAddress(
            endpoint: "https://127.0.0.1/", publicKey: [4] + [UInt8](repeating: 7, count: 64),
            authenticationSecret: [UInt8](repeating: 0, count: 16))
        #expect(try await channel.deliver(message(), to: .webPush(noPoint)) == .gone)
    }

    @Test("From a save to the browser")
    func throughTheService() async throws {
        let browser = try TestBrowser()
        let container = try #require(ContainerIdentifier("iCloud.org.example.tests"))
        let cloud = CloudService(
            store: MemoryStore(), secret: [UInt8](repeating: 7, count: 32),
            environment: ServiceEnvironment(now: { start }, random: .system, report: { _ in }))
        try await cloud.createContainer(container)
        let caller = Caller(
            context: CloudContext(container: container, environment: .development), principal: .user("_ada"))
        try await withService([.init(status: 503, headers: [("Retry-After", "0")])]) { service in
            try await cloud.startPush([try channel()])
            let address = try browser.address("https://127.0.0.1:\(service.port)/ada")
            _ = try await cloud.registerDevice(PushTokenRequest(address: .webPush(address)), as: caller)
            let subscription = SubscriptionInput(
                subscriptionID: "s",
                kind: .query(QuerySubscription(query: Query(recordType: "Note"), firesOn: [.create])),
                notificationInfo: NotificationInfo(body: .init("Hello")))
            _ = try await cloud.modifySubscriptions([.create(subscription)], in: .private, as: caller)
            let record = RecordInput(recordName: "r", recordType: "Note")
            _ = try await cloud.modifyRecords(
                ModifyRecordsRequest(operations: [RecordOperation(.create, record)]), in: .private, as: caller)
            // The first is refused for now, so it comes again.
            for _ in 0..<2 {
                let request = try #require(await service.next())
                let text = String(decoding: try browser.decrypt(request.body), as: UTF8.self)
                #expect(text.contains(#""body":"Hello""#) && text.contains(#""rid":"r""#), "\(text)")
            }
            await cloud.stopPush()
        }
    }
}
