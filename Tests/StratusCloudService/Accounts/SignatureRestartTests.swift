import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Threat: a signed request is recorded, and sent again after the server has been restarted and has forgotten it.
@Suite struct SignatureRestartTests {
    private let cloud: TestCloud
    private let key: P256PrivateKey
    private let keyID: String

    init() async throws {
        cloud = try await TestCloud(.leveldb)
        key = try P256PrivateKey.generate()
        keyID = try await cloud.service.registerServerKey(
            for: cloud.context, name: "server", publicKeyPEM: try key.publicKey.pem())
    }

    /// - Parameter date: seconds after 2026-11-20T18:30:00Z.
    private func request(_ date: Int, isMutating: Bool = true) throws -> Credentials {
        let text = "2026-11-20T18:3\(date / 60):\(date % 60 < 10 ? "0" : "")\(date % 60)Z"
        let hash = Base64.string(SHA256.hash([]))
        let signature = try key.sign(Array("\(text):\(hash):/path".utf8))
        return Credentials(
            ClientTokens(),
            signature: RequestSignature(
                keyID: keyID, date: text, signature: Base64.string(signature), subpaths: ["/path"], body: [],
                isMutating: isMutating))
    }

    private func send(_ credentials: Credentials, to cloud: TestCloud) async -> CloudError? {
        do throws(CloudError) {
            _ = try await cloud.service.authenticate(credentials, for: cloud.context)
            return nil
        } catch { return error }
    }

    @Test func noneIsAcceptedTwiceAcrossARestart() async throws {
        cloud.clock.withLock { $0 = 1_795_199_400_000 }
        // The client's clock is ahead, so its dates lie behind the restart.
        let (early, late) = (try request(30), try request(90))
        for credentials in [early, late] { #expect(await send(credentials, to: cloud) == nil) }
        #expect(await send(late, to: cloud)?.code == .authenticationFailed)
        cloud.clock.withLock { $0 += 10_000 }
        let restarted = try await TestCloud(restarting: cloud)
        for credentials in [early, late] {
            #expect(await send(credentials, to: restarted)?.code == .tryAgainLater)
        }
        #expect(await send(try request(88), to: restarted)?.retryAfter == 3)
        // Reading twice does no harm, and later dates go on.
        #expect(await send(try request(30, isMutating: false), to: restarted) == nil)
        let next = try request(91)
        #expect(await send(next, to: restarted) == nil)
        // Within a run, clocks of several machines may differ.
        #expect(await send(try request(120), to: restarted) == nil)
        #expect(await send(try request(92), to: restarted) == nil)
        #expect(await send(next, to: try await TestCloud(restarting: restarted))?.code == .tryAgainLater)
    }

    @Test func aRevokedKeyLeavesNothing() async throws {
        cloud.clock.withLock { $0 = 1_795_199_400_000 }
        #expect(await send(try request(1), to: cloud) == nil)
        let place = DirectoryKey.signatureDate(ofKey: keyID)
        #expect(try await cloud.store.read(.directory) { try $0.get(place) } != nil)
        try await cloud.service.revokeServerKey(keyID, of: cloud.context)
        #expect(try await cloud.store.read(.directory) { try $0.get(place) } == nil)
    }
}
