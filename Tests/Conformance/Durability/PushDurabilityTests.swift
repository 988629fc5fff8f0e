import StratusTestSupport
import Testing

/// Notifications through kills and stops.
@Suite("Push, durability", .serialized)
struct PushDurabilityTests {
    @Test("kill -9 between commit and delivery: every acknowledged change is told, the latest of each subscription")
    func killed() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        var database = tenant.privateDatabase
        let device = try await database.device()
        for type in ["A", "B", "C"] { try await database.subscribe(Watch.query(type, type, Watch.alert())) }
        for type in ["A", "B", "C"] {
            for name in ["1", "2"] { try await database.save(Change.create(type, type + name)) }
        }
        tenant.cloud.server.kill()
        _ = await tenant.cloud.server.ending
        let cloud = try await Cloud(directory: tenant.cloud.directory)
        database.server = cloud.server.url
        // The address has another port now; the secret in it is the same.
        let secret = try #require(device.webcourierURL.split(separator: "=").last)
        let moved = Device(
            token: device.token, webcourierURL: "\(cloud.server.url)/push/poll?token=\(secret)", eventStreamURL: "",
            registration: device.registration)
        var told: Set<String> = []
        for _ in 0..<3 { told.insert(try await moved.poll().json["ck"]["qry"]["rid"].string ?? "") }
        #expect(told == ["A2", "B2", "C2"])
    }

    @Test("SIGTERM: polls and streams are ended at once, and what was confirmed does not come again")
    func stopped() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let database = tenant.privateDatabase
        let polling = try await database.device()
        let listening = try await EventStream(try await database.device())
        try await database.subscribe(Watch.query("q", "Note", Watch.alert()))
        try await database.save(Change.create("Note", "r"))
        #expect(try await polling.poll().json["ck"]["qry"]["rid"] == "r")
        #expect(try await listening.next()?.notification["ck"]["qry"]["rid"] == "r")
        let last = Task { try await polling.poll() }
        try await database.save(Change.create("Other"))
        tenant.cloud.server.terminate()
        #expect(try await listening.next() == nil)
        _ = try? await last.value
        #expect(await tenant.cloud.server.ending == .exited(0))
    }
}
