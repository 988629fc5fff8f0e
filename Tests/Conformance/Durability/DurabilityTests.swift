import Foundation
import StratusSeeds
import StratusTestSupport
import StratusWaiting
import Testing

/// Servers killed, stopped and started again (threats 52 and 70).
///
/// `STRATUS_TORTURE` sets the number of rounds, `STRATUS_SEED` the moments of the kills.
@Suite("Durability", .serialized)
struct DurabilityTests {
    static let rounds = ProcessInfo.processInfo.environment["STRATUS_TORTURE"].flatMap { Int($0) } ?? 5

    static let seed: UInt64 = {
        let seed = Seed.draw()
        print("durability: STRATUS_SEED=\(seed) STRATUS_TORTURE=\(rounds)")
        return seed
    }()

    /// A cloud with one tenant, a zone, and the type already known.
    private func prepare() async throws -> (Tenant, zone: String) {
        let tenant = try await Tenant(in: try await Cloud())
        return (tenant, try await tenant.privateDatabase.makeZone("Durable"))
    }

    private func databases(of tenant: Tenant, on cloud: Cloud) -> (public: Database, private: Database) {
        var databases = (public: tenant.publicDatabase, private: tenant.privateDatabase)
        databases.public.server = cloud.server.url
        databases.private.server = cloud.server.url
        return databases
    }

    @Test("kill -9 under load: nothing acknowledged is lost, no batch torn, no index without its record")
    func killed() async throws {
        var random = SeededRandom(seed: Self.seed)
        let (tenant, zone) = try await prepare()
        var cloud = tenant.cloud
        for round in 0..<Self.rounds {
            let threshold = Int.random(in: 1...300, using: &random)
            let server = cloud.server
            let workload = Workload(round: round, threshold: threshold) { server.kill() }
            let (publicDatabase, privateDatabase) = databases(of: tenant, on: cloud)
            await workload.run(public: publicDatabase, private: privateDatabase, zone: zone)
            #expect(await server.ending == .signalled(SIGKILL))
            cloud = try await Cloud(directory: cloud.directory)
            let verdict = Verdict(round: round, attempts: workload.attempts)
            try await verdict.check(server: cloud.server.url, unacknowledged: true)
        }
        try await stop(cloud)
    }

    @Test("SIGTERM under load: all that was accepted is answered and kept, and the server leaves cleanly")
    func terminated() async throws {
        let (tenant, zone) = try await prepare()
        var cloud = tenant.cloud
        for round in 0..<2 {
            let server = cloud.server
            let workload = Workload(round: round, threshold: 100) { server.terminate() }
            let (publicDatabase, privateDatabase) = databases(of: tenant, on: cloud)
            await workload.run(public: publicDatabase, private: privateDatabase, zone: zone)
            #expect(await server.ending == .exited(0))
            cloud = try await Cloud(directory: cloud.directory)
            let verdict = Verdict(round: round, attempts: workload.attempts)
            try await verdict.check(server: cloud.server.url, unacknowledged: false)
        }
        try await stop(cloud)
    }

    @Test("A second server on the same data is refused, and the first goes on")
    func secondServer() async throws {
        let (tenant, _) = try await prepare()
        let failure = await #expect(throws: ServerProcess.StartFailure.self) {
            _ = try await Cloud(directory: tenant.cloud.directory)
        }
        #expect(failure?.ending != .exited(0))
        #expect(failure?.errors.contains(tenant.cloud.directory.path) == true, "\(String(describing: failure))")
        let record = try await tenant.publicDatabase.save(Change.create("Note", Unique.name("r")))
        try await expectUnchanged(record, in: tenant.publicDatabase)
        try await stop(tenant.cloud)
    }

    @Test("Everything is there after a stop and a start: records, zones, accounts, tokens, sessions, keys")
    func restarted() async throws {
        let (tenant, zone) = try await prepare()
        let inZone = try await tenant.privateDatabase.save(
            Change.create("Note", Unique.name("r"), Fields.untyped(["a": "é"])), zone: zone)
        let open = try await tenant.publicDatabase.save(Change.create("Note", Unique.name("r")))
        let signed = try await tenant.database("public", tenant.key).save(Change.create("Note", Unique.name("r")))
        try await stop(tenant.cloud)
        let cloud = try await Cloud(directory: tenant.cloud.directory)
        let (publicDatabase, privateDatabase) = databases(of: tenant, on: cloud)
        try await expectUnchanged(inZone, in: privateDatabase, zone: zone)
        try await expectUnchanged(open, in: publicDatabase)
        try await expectUnchanged(signed, in: publicDatabase)
        let updated = try await privateDatabase.save(Change.update(inZone, Fields.untyped(["a": "b"])), zone: zone)
        #expect(updated.tag != inZone.tag)
        var keyed = tenant.database("public", tenant.key)
        keyed.server = cloud.server.url
        // A request that changes something and is signed within the second of one before the restart could be that one again.
        try await wait(for: "a later signature") {
            try await keyed.modify([Change.create("Note", Unique.name("r"))]).status != 503
        }
        #expect(try await keyed.save(Change.update(signed, [:])).tag != signed.tag)
        try await stop(cloud)
    }

    @Test("The tool works on a stopped data directory too")
    func toolOnStoppedData() async throws {
        let (tenant, _) = try await prepare()
        try await stop(tenant.cloud)
        let token = try await tenant.cloud.makeToken(tenant.container)
        let session = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container)
        #expect(session.userRecordName == tenant.alice.userRecordName)
        let cloud = try await Cloud(directory: tenant.cloud.directory)
        var database = tenant.database("private", .user(apiToken: token, webAuthToken: session.webAuthToken))
        database.server = cloud.server.url
        #expect(try await database.get("zones/list").zones.count == 2)
        try await stop(cloud)
    }

    private func stop(_ cloud: Cloud) async throws {
        cloud.server.terminate()
        #expect(await cloud.server.ending == .exited(0))
    }
}
