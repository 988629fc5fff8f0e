import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct SyncTokenTests {
    @Test("Threat 34: no changed token is taken, and none of another kind, zone or owner (case 99)")
    func foreign() async throws {
        let cloud = try await TestCloud()
        for zone in ["Z", "Other"] {
            try await cloud.makeZone(zone)
            _ = try await cloud.modify([.make(.create, "r"), .make(.create, "s")], zone: zone)
        }
        let token = try await cloud.changes("Z", limit: 1).syncToken
        let bytes = try #require(Base64.decode(token))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            await expectExpired("Unknown sync continuation type") {
                try await cloud.changes("Z", since: Base64.string(changed))
            }
        }
        for length in 0..<bytes.count {
            await expectExpired { try await cloud.changes("Z", since: Base64.string(Array(bytes.prefix(length)))) }
        }
        for garbage in ["", "x", "====", "../../etc/passwd", String(repeating: "A", count: 1_000_000)] {
            await expectExpired { try await cloud.changes("Z", since: garbage) }
            await expectExpired { try await cloud.databaseChanges(since: garbage) }
        }
        await expectExpired("client knowledge differs") { try await cloud.changes("Other", since: token) }
        await expectExpired { try await cloud.databaseChanges(since: token) }
        let databaseToken = try await cloud.databaseChanges().syncToken
        await expectExpired { try await cloud.changes("Z", since: databaseToken) }
        let bob = cloud.user("b")
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.create, ZoneID(zoneName: "Z"))], in: .private, as: bob)
        await expectExpired { try await cloud.changes("Z", since: token, as: bob) }
        await expectExpired { try await cloud.databaseChanges(since: databaseToken, as: bob) }
        #expect(try await cloud.changes("Z", since: token).names == ["s"], "its own is taken")
    }

    @Test("A zone's token of lookups and lists goes on where the zone is")
    func tokenOfZone() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "r")], zone: "Z")
        let found = try await cloud.service.lookupZones([ZoneID(zoneName: "Z")], in: .private, as: cloud.user())
        guard case .zone(let zone)? = found.first else { throw Unexpected(description: "\(found)") }
        #expect(try await cloud.changes("Z").syncToken == zone.syncToken)
        _ = try await cloud.modify([.make(.create, "s")], zone: "Z")
        #expect(try await cloud.changes("Z", since: zone.syncToken).names == ["s"])
    }

    @Test("Case 93: a token of a zone that was made again has expired")
    func case93() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "old")], zone: "Z")
        let token = try await cloud.changes("Z").syncToken
        try await cloud.deleteZone("Z")
        let gone = await #expect(throws: CloudError.self) { try await cloud.changes("Z", since: token) }
        #expect(gone?.code == .zoneNotFound)
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "new")], zone: "Z")
        await expectExpired("client knowledge differs") { try await cloud.changes("Z", since: token) }
        #expect(try await cloud.changes("Z").names == ["new"])
    }

    @Test("Tokens survive restarts (case 98)", arguments: Engine.allCases)
    func restart(engine: Engine) async throws {
        var cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        _ = try await cloud.modify((0..<5).map { .make(.create, "r\($0)") }, zone: "Z")
        var token: String?
        var found: [String] = []
        for _ in 0..<5 {
            let page = try await cloud.changes("Z", since: token, limit: 1)
            found += page.names
            token = page.syncToken
            cloud = cloud.restarted()
            // Each run that writes begins a history; the tokens of those before stay good.
            _ = try await cloud.modify([.make(.forceUpdate, "again")], zone: "Z")
        }
        #expect(found == (0..<5).map { "r\($0)" })
        #expect(try await cloud.changes("Z", since: token).names == ["again"])
    }

    @Test("Threat 58: after an old backup is put back, tokens of the lost future have expired")
    func restored() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "doomed")], zone: "Z")
        let kept = (zone: try await cloud.changes("Z").syncToken, database: try await cloud.databaseChanges().syncToken)
        let backup = try await cloud.backup()
        _ = try await cloud.modify([.make(.forceDelete, "doomed"), .make(.create, "lost")], zone: "Z")
        let lost = (zone: try await cloud.changes("Z").syncToken, database: try await cloud.databaseChanges().syncToken)

        let restored = try await cloud.restored(from: backup)
        func expectSplit() async throws {
            await expectExpired { try await restored.changes("Z", since: lost.zone) }
            await expectExpired { try await restored.databaseChanges(since: lost.database) }
        }
        try await expectSplit()
        #expect(try await restored.changes("Z", since: kept.zone).names == [])
        // Though the version numbers of the lost future come again, they mean something else.
        for number in 0..<6 {
            _ = try await restored.modify([.make(.create, "other\(number)")], zone: "Z")
            try await expectSplit()
        }
        #expect(try await restored.changes("Z", since: kept.zone).names == (0..<6).map { "other\($0)" })
        #expect(try await restored.databaseChanges(since: kept.database).names == ["Z"])
        // The same backup, put back once more: another history with the same numbers.
        let second = try await restored.changes("Z").syncToken
        let again = try await cloud.restored(from: backup)
        for number in 0..<6 { _ = try await again.modify([.make(.create, "third\(number)")], zone: "Z") }
        await expectExpired { try await again.changes("Z", since: second) }
        #expect(try await again.changes("Z", since: kept.zone).names == (0..<6).map { "third\($0)" })
    }

    @Test("What was stored before feeds were served can be followed")
    func oldFormats() async throws {
        var writer = ByteWriter()
        for value in [1, 17, 5, 9] as [UInt64] {
            if value == 1 { writer.write(byte: 1) } else { writer.write(unsigned: value) }
        }
        let header = try ZoneHeader(stored: writer.bytes)
        #expect(header.number.rawValue == 17 && header.version == 5 && header.changeVersion == 9)
        #expect(header.purgedVersion == 0)
        let counters = try DatabaseCounters(stored: writer.bytes)
        #expect(counters.changeVersion == 5 && counters.customZones == 9 && counters.history == HistoryMark())
    }
}
