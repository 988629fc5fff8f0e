import Foundation
import StratusTestSupport
import Testing

/// Tokens and keys that the operator revokes while the server runs.
@Suite("Revocation")
struct RevocationTests {
    /// A revocation must hold within this time.
    private static let patience = Duration.seconds(1)
    /// Tries of which one must be in time: what a busy machine makes late is late by chance, a server that is slow to hear of a
    /// revocation always.
    private static let tries = 20

    private func revoke(_ kind: String, _ word: String, _ tenant: Tenant) async throws {
        _ = try await tenant.cloud.tool([
            kind, "revoke", word, "--container", tenant.container, "--environment", "development",
        ])
    }

    @Test("Threat 23: a revoked API token ends requests, held polls and streams at once; other tokens go on")
    func apiToken() async throws {
        var times: [Duration] = []
        while times.count < Self.tries, times.allSatisfy({ $0 >= Self.patience }) {
            times.append(try await timeToRevoke())
        }
        #expect(times.contains { $0 < Self.patience }, "\(times)")
    }

    /// How long it takes until a revoked token is refused, and nothing held with it is held any more.
    private func timeToRevoke() async throws -> Duration {
        let tenant = try await Tenant(in: try await Cloud.shared())
        let other = try await tenant.cloud.makeToken(tenant.container)
        let database = tenant.privateDatabase
        let survivor = tenant.database(
            "private", .user(apiToken: other, webAuthToken: tenant.alice.webAuthToken))
        let (polling, listening) = (try await database.device(), try await EventStream(try await database.device()))
        let staying = try await survivor.device()
        let held = Task { try await polling.poll() }
        let waiting = Task { try await staying.poll() }
        // Told once, the listener certainly waits.
        try await database.subscribe(Watch.query("q", "Note", Watch.alert()))
        try await database.save(Change.create("Note", "r"))
        #expect(try await held.value.json["ck"]["qry"]["rid"] == "r")
        #expect(try await listening.next()?.notification["ck"]["qry"]["rid"] == "r")
        #expect(try await waiting.value.json["ck"]["qry"]["rid"] == "r")
        let again = Task { try await polling.poll() }
        #expect(try await database.find("r")["recordName"] == "r")

        try await revoke("token", tenant.apiToken, tenant)
        let start = ContinuousClock.now
        let refused = try await database.lookup(["r"])
        #expect(refused.status == 401 && refused.json["serverErrorCode"] == "AUTHENTICATION_FAILED")
        #expect(try await listening.next() == nil, "the stream ends")
        // It was held, and had nothing; or it came too late, and found no device.
        let ended = try await again.value
        #expect(ended.status == 404 || ended.text == "null", "\(ended)")
        let time = ContinuousClock.now - start
        #expect(try await polling.poll().status == 404)
        #expect(try await survivor.find("r")["recordName"] == "r")
        let told = Task { try await staying.poll() }
        try await survivor.save(Change.create("Note", "s"))
        #expect(try await told.value.json["ck"]["qry"]["rid"] == "s")
        return time
    }

    @Test("Threat 23: a revoked server-to-server key ends at once")
    func serverKey() async throws {
        let tenant = try await Tenant(in: try await Cloud.shared())
        guard case .key(let id, _) = tenant.key else { throw Tool.Failure(description: "no key") }
        let database = tenant.database("public", tenant.key)
        try await database.save(Change.create("Note", "r"))
        try await revoke("key", id, tenant)
        let refused = try await database.lookup(["r"])
        #expect(refused.status == 401 && refused.json["serverErrorCode"] == "AUTHENTICATION_FAILED")
    }
}
