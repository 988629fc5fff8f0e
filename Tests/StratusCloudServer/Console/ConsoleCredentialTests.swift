import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Tokens and keys through the console; what changes holds from the next request on.
@Suite struct ConsoleCredentialTests {
    private static let tokens = "c/\(TestCloud.container)/development/tokens"
    private static let keys = "c/\(TestCloud.container)/development/keys"

    @Test func tokensAreMadeRestrictedAndRevoked() async throws {
        let place = try await ConsolePlace()
        let developer = try await place.developer("developer")
        let made = try await developer.send("POST", Self.tokens, ["name": "web", "origins": ["https://app.example"]])
        let token = try #require(made.json["token"] as? String)
        let id = try #require(made.json["id"] as? String)
        #expect(token.utf8.count == 64 && !token.contains(id))
        func status(origin: String?) async throws -> Int {
            try await place.cloud.client.send(
                "GET", TestCloud.path("public/zones/list") + "?ckAPIToken=\(token)",
                headers: origin.map { [("Origin", $0)] } ?? []
            ).status
        }
        #expect(try await status(origin: "https://app.example") == 200)
        #expect(try await status(origin: "https://other.example") == 403)
        let listed = try await developer.get(Self.tokens)
        #expect(!listed.body.contains(token))
        let entry = (listed.json["tokens"] as? [[String: Any]])?.first { $0["id"] as? String == id }
        #expect(entry?["allowedOrigins"] as? [String] == ["https://app.example"])
        let changed = try await developer.send("PUT", "\(Self.tokens)/\(id)", ["origins": ["https://other.example"]])
        #expect(changed.status == 200)
        #expect(try await status(origin: "https://other.example") == 200)
        #expect(try await status(origin: "https://app.example") == 403)
        #expect(try await developer.send("PUT", "\(Self.tokens)/\(id)", ["origins": ["nowhere"]]).status == 400)
        let many = (0...ServiceLimits.originsPerToken).map { "https://o\($0).example" }
        #expect(try await developer.send("PUT", "\(Self.tokens)/\(id)", ["origins": many]).status == 400)
        #expect(
            try await developer.send("PUT", "\(Self.tokens)/\(id)", ["origins": Array(many.dropLast())]).status == 200)
        #expect(try await developer.send("DELETE", "\(Self.tokens)/\(id)").status == 200)
        #expect(try await status(origin: nil) == 401)
        #expect(try await developer.send("DELETE", "\(Self.tokens)/\(id)").status == 404)
        await place.stop()
    }

    @Test func keysAreMadeAndRevokedByAdmins() async throws {
        let place = try await ConsolePlace()
        let made = try await place.owner.send("POST", Self.keys, ["name": "batch"])
        let pem = try #require(made.json["privateKey"] as? String, "\(made.body)")
        #expect((try? P256PrivateKey(pem: pem)) != nil)
        #expect((made.json["userRecordName"] as? String)?.count == 33)
        let id = try #require(made.json["id"] as? String)
        let own = try P256PrivateKey.generate().publicKey.pem()
        let registered = try await place.owner.send("POST", Self.keys, ["name": "own", "publicKey": own])
        #expect(registered.status == 200 && registered.json["privateKey"] == nil)
        #expect(try await place.owner.send("POST", Self.keys, ["name": "bad", "publicKey": "no key"]).status == 400)
        #expect((try await place.owner.get(Self.keys).json["keys"] as? [Any])?.count == 2)
        #expect(try await place.owner.send("DELETE", "\(Self.keys)/\(id)").status == 200)
        #expect((try await place.owner.get(Self.keys).json["keys"] as? [Any])?.count == 1)
        await place.stop()
    }
}
