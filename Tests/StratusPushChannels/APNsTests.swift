import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import Testing

@testable import StratusPushChannels

@Suite(
    "APNs",
    .enabled(
        if: ["/usr/bin/openssl", APNsFront.nginx].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) },
        "needs openssl and nginx"))
struct APNsTests {
    private static let address = PushAddress.apns(token: [0xDE, 0xAD, 0xBE, 0xEF], .development)

    private let certificate: TestCertificate
    private let environment = TestEnvironment()
    private let key: P256PrivateKey

    init() throws {
        certificate = try TestCertificate()
        key = try P256PrivateKey.generate()
    }

    private func withService<Result>(
        _ answers: [TestService.Answer] = [], _ body: (TestService, APNsChannel) async throws -> Result
    ) async throws -> Result {
        let service = try TestService(success: 200, answers)
        do {
            let front = try APNsFront(certificate, to: service.port)
            defer { front.stop() }
            let channel = APNsChannel(
                APNsConfiguration(
                    key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", topic: "org.example.app", endpoint: front.url),
                environment.channels(trusting: certificate.certificate))
            let result = try await body(service, channel)
            await service.stop()
            return result
        } catch {
            await service.stop()
            throw error
        }
    }

    @Test("Apple's push service gets a notification over HTTP/2, from a sender that proves itself")
    func alert() async throws {
        try await withService { service, channel in
            let told = try message {
                $0.body = CloudNotification.Text("There is news")
                $0.collapseID = "news"
            }
            #expect(await channel.deliver(told, to: Self.address) == .delivered)
            let request = try #require(await service.next())
            #expect(request.head.method == "POST" && request.head.target == "/3/device/deadbeef")
            let headers = request.head.headers
            #expect(headers["X-Protocol"] == "HTTP/2.0")
            #expect(
                headers["apns-topic"] == "org.example.app" && headers["apns-id"] == told.notification.notificationID)
            #expect(headers["apns-push-type"] == "alert" && headers["apns-priority"] == "10")
            #expect(headers["apns-expiration"] == String(start / 1_000 + 3_600))
            #expect(headers["apns-collapse-id"] == "news")
            #expect(request.body == NotificationEncoder().payload(told.notification))
            let token = try VerifiedToken(
                try #require(headers["authorization"]?.dropFirst("bearer ".count)), key.publicKey)
            #expect(token.header["alg"] as? String == "ES256" && token.header["kid"] as? String == "ABC123DEFG")
            #expect(token.claims["iss"] as? String == "DEF123GHIJ" && token.claims["iat"] as? Int64 == start / 1_000)
        }
    }

    @Test("Silent notifications go in the background; names that no header can hold are replaced")
    func silent() async throws {
        try await withService { service, channel in
            let told = try message {
                $0.isContentAvailable = true
                $0.collapseID = String(repeating: "é", count: 40)
            }
            #expect(await channel.deliver(told, to: Self.address) == .delivered)
            let headers = try #require(await service.next()).head.headers
            #expect(headers["apns-push-type"] == "background" && headers["apns-priority"] == "5")
            #expect(headers["apns-collapse-id"]?.utf8.count == 43)
        }
    }

    @Test("A token is used for 45 minutes, and no longer when the service finds it too old")
    func tokens() async throws {
        let expired = TestService.Answer(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#)
        try await withService([.init(status: 200), .init(status: 200), expired]) { service, channel in
            var seen: [String] = []
            for step in [0, 44 * 60_000, 0, 0, 45 * 60_000] as [Int64] {
                environment.clock.withLock { $0 += step }
                var told = try message()
                told.expires += 86_400_000
                let outcome = await channel.deliver(told, to: Self.address)
                #expect(outcome == (seen.count == 2 ? .retry(afterSeconds: nil) : .delivered))
                seen.append(try #require(await service.next()?.head.headers["authorization"]))
            }
            #expect(seen[0] == seen[1] && seen[1] == seen[2])
            #expect(Set(seen).count == 3)
            #expect(environment.reports.withLock { $0 }.isEmpty)
        }
    }

    @Test("Threat 51: answers of Apple's push service")
    func answers() async throws {
        func refusal(_ status: Int, _ reason: String, _ headers: [(String, String)] = []) -> TestService.Answer {
            .init(status: status, headers: headers, body: #"{"reason":"\#(reason)"}"#)
        }
        let cases: [(TestService.Answer, PushOutcome)] = [
            (refusal(410, "Unregistered"), .gone), (refusal(400, "BadDeviceToken"), .gone),
            (
                refusal(400, "BadTopic"),
                .refused(reason: "Apple's push service answers 400: BadTopic")
            ),
            (refusal(403, "InvalidProviderToken"), .retry(afterSeconds: nil)),
            (
                refusal(413, "PayloadTooLarge"),
                .refused(reason: "Apple's push service answers 413: PayloadTooLarge")
            ),
            (refusal(429, "TooManyRequests", [("Retry-After", "9")]), .retry(afterSeconds: 9)),
            (refusal(500, "InternalServerError"), .retry(afterSeconds: nil)),
            (refusal(503, "Shutdown", [("Retry-After", "1")]), .retry(afterSeconds: 1)),
            (
                .init(status: 400, body: "<html>"),
                .refused(reason: "Apple's push service answers 400: without a reason")
            ),
        ]
        try await withService(cases.map(\.0)) { service, channel in
            for (answer, expected) in cases {
                let outcome = await channel.deliver(try message(), to: Self.address)
                #expect(outcome == expected, "\(answer)")
            }
        }
        #expect(
            environment.reports.withLock { $0 }
                == ["Apple's push service does not know this server: InvalidProviderToken"])
    }

    @Test("Threat 51: while the service is down, messages wait")
    func down() async throws {
        let channel = APNsChannel(
            APNsConfiguration(
                key: key, keyID: "K", teamID: "T", topic: "org.example.app", endpoint: "https://127.0.0.1:1"),
            environment.channels())
        #expect(try await channel.deliver(message(), to: Self.address) == .retry(afterSeconds: nil))
        #expect(environment.reports.withLock { $0.count } == 1)
    }
}
