import Foundation
import StratusTestSupport
import Testing

/// Servers killed while a large cascade of deletions goes on.
@Suite("Durability of cascades", .serialized)
struct CascadeDurabilityTests {
    /// Requests within which a started server must have finished.
    private static let patience = 20_000

    @Test("Threat 56: kill -9 within a cascade: the next server finishes it by itself", arguments: [true, false])
    func killed(custom: Bool) async throws {
        let tenant = try await Tenant(in: try await Cloud())
        var database = tenant.privateDatabase
        let zone = custom ? try await database.makeZone() : nil
        let names = (0..<6_000).map { "chain-\($0)" }
        for start in stride(from: 0, to: names.count, by: 200) {
            let batch = (start..<start + 200).map { index -> JSON in
                let target: JSON = ["recordName": .string(names[max(0, index - 1)]), "action": "DELETE_SELF"]
                return Change.create("Linked", names[index], ["to": Fields.typed("REFERENCE", target)])
            }
            expectSaved(try await database.modify(batch, zone: zone), count: 200)
        }
        let kept = try await database.save(Change.create("Linked", "kept"), zone: zone)

        let (server, client) = (tenant.cloud.server, database)
        // The answer may never come.
        let deletion = Task { try? await client.modify([Change.forceDelete(names[0])], zone: zone) }
        while try await database.find(names[0], zone: zone)["recordChangeTag"].isPresent {}
        server.kill()
        #expect(await server.ending == .signalled(SIGKILL))
        _ = await deletion.value

        let cloud = try await Cloud(directory: tenant.cloud.directory)
        database.server = cloud.server.url
        var requests = 0
        while try await database.find(names[5_999], zone: zone)["recordChangeTag"].isPresent {
            requests += 1
            try #require(requests < Self.patience, "the cascade is not finished")
        }
        #expect(try await database.queryAll("Linked", zone: zone).map(\.name) == ["kept"])
        try await expectUnchanged(kept, in: database, zone: zone)
        cloud.server.terminate()
        #expect(await cloud.server.ending == .exited(0))
    }
}
