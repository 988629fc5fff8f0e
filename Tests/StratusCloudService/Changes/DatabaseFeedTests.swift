import StratusCloudModel
import StratusCloudStore
import StratusTestSupport
import Testing

@testable import StratusCloudService

@Suite struct DatabaseFeedTests {
    @Test("Case 96: the zones that were made, changed or deleted, each once")
    func case96() async throws {
        let cloud = try await TestCloud()
        let empty = try await cloud.databaseChanges()
        #expect(empty.names == [] && !empty.moreComing)
        for zone in ["A", "B", "C"] { try await cloud.makeZone(zone) }
        _ = try await cloud.modify([.make(.create, "r")])
        #expect(try await cloud.databaseChanges(since: empty.syncToken).names == ["A", "B", "C"])
        let token = try await cloud.databaseChanges().syncToken
        #expect(try await cloud.databaseChanges(since: token).names == [])
        _ = try await cloud.modify([.make(.create, "r")], zone: "B")
        _ = try await cloud.modify([.make(.forceUpdate, "r")], zone: "B")
        try await cloud.deleteZone("A")
        #expect(try await cloud.databaseChanges(since: token).names == ["B", "-A"])
        // Refused operations change nothing.
        _ = try await cloud.modify([.make(.create, "r")], zone: "C")
        let later = try await cloud.databaseChanges(since: token)
        #expect(later.names == ["B", "-A", "C"])
        _ = try await cloud.modify([.make(.create, "r")], zone: "C")
        #expect(try await cloud.databaseChanges(since: later.syncToken).names == [])
        // Who begins now need not hear of what is gone; a zone that is back is there.
        #expect(try await cloud.databaseChanges().names == ["B", "C"])
        try await cloud.makeZone("A")
        #expect(try await cloud.databaseChanges(since: token).names == ["B", "C", "A"])
        #expect(try await cloud.databaseChanges(since: later.syncToken).names == ["A"])
    }

    @Test("Pages of zones resume exactly", arguments: [1, 2, 3, 200, 500])
    func pages(limit: Int) async throws {
        let cloud = try await TestCloud()
        let names = (0..<9).map { "Z\($0)" }
        for name in names { try await cloud.makeZone(name) }
        var token: String?
        var found: [String] = []
        var turns = PageTurns()
        while true {
            let page = try await cloud.databaseChanges(since: token, limit: limit)
            #expect(page.zones.count == min(limit, names.count - found.count))
            found += page.names
            token = page.syncToken
            #expect(page.moreComing == (found.count < names.count))
            if !page.moreComing { break }
            try turns.turn(to: token)
        }
        #expect(found == names)
        let error = await #expect(throws: CloudError.self) { try await cloud.databaseChanges(limit: 0) }
        #expect(error == CloudError(.badRequest, "resultsLimit must be 1 to 200, not 0"))
    }

    @Test("Nothing is shared, so the shared database has an empty feed")
    func shared() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let page = try await cloud.databaseChanges(in: .shared)
        #expect(page.zones.isEmpty && !page.moreComing)
        #expect(try await cloud.databaseChanges(since: page.syncToken, in: .shared) == page)
        await expectExpired { try await cloud.databaseChanges(since: page.syncToken) }
        await expectExpired { try await cloud.databaseChanges(since: page.syncToken, in: .shared, as: cloud.user("b")) }
    }
}
