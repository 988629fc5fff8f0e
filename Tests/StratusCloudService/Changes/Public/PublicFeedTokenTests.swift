import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// When a token of `changes/records` can be continued.
@Suite struct PublicFeedTokenTests {
    @Test("Tokens of other feeds, environments and databases are refused, and changed ones")
    func foreign() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "r")], zone: "Z")
        try await cloud.publish([.make(.create, "r"), .make(.create, "s")])
        let token = try await cloud.publicPage(limit: 1).syncToken
        for other in [try await cloud.changes("Z").syncToken, try await cloud.databaseChanges().syncToken] {
            await expectExpired { try await cloud.publicPage(since: other) }
        }
        await expectExpired { try await cloud.changes("Z", since: token) }
        await expectExpired { try await cloud.databaseChanges(since: token) }
        let production = Caller(context: cloud.context.production, principal: .anonymous)
        await expectExpired { try await cloud.publicPage(since: token, as: production) }
        let bytes = try #require(Base64.decode(token))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            await expectExpired { try await cloud.publicPage(since: Base64.string(changed)) }
        }
        #expect(try await cloud.publicPage(since: token).names == ["s"], "its own is taken")
    }

    @Test("A token that is younger than a backup has expired after the backup is restored; older ones have not")
    func restored() async throws {
        let cloud = try await TestCloud()
        try await cloud.publish([.make(.create, "a")])
        let before = try await cloud.publicPage().syncToken
        try await cloud.publish([.make(.create, "b")])
        let backup = try await cloud.withCopyOfPublicDatabase()
        try await cloud.publish([.make(.create, "lost")])
        let lost = try await cloud.publicPage().syncToken
        await expectExpired { try await backup.publicPage(since: lost) }
        #expect(try await backup.publicPage(since: before).names == ["b"])
        // As many changes as were lost, and more.
        for name in ["c", "d", "e"] {
            try await backup.publish([.make(.create, name)])
            await expectExpired { try await backup.publicPage(since: lost) }
        }
        #expect(try await backup.publicPage(since: before).names == ["b", "c", "d", "e"])
        #expect(try await backup.restarted().publicPage(since: before).names == ["b", "c", "d", "e"])
    }

    @Test("Deletions are told for as long as those of private zones; then older tokens have expired")
    func retention() async throws {
        let cloud = try await TestCloud()
        try await cloud.publish([.make(.create, "a"), .make(.create, "b"), .make(.create, "c")])
        let before = try await cloud.publicPage().syncToken
        try await cloud.publish([.make(.forceDelete, "a"), .make(.forceDelete, "b")])
        // The name is in use again when the deletion is forgotten.
        try await cloud.publish([.make(.create, "a")])
        let after = try await cloud.publicPage().syncToken
        cloud.clock.withLock { $0 += ServiceLimits.tombstoneRetention - 1 }
        #expect(try await cloud.service.purgeTombstones() == 0)
        #expect(try await cloud.publicPage(since: before).names == ["-b", "a"])
        cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.service.purgeTombstones() == 2)
        await expectExpired { try await cloud.publicPage(since: before) }
        #expect(try await cloud.publicPage(since: after).names == [])
        #expect(try await cloud.publicPage().names == ["c", "a"])
        #expect(try await cloud.lookup(["a"], in: .public)[0].saved?.recordName == "a")
        try await cloud.publish([.make(.forceUpdate, "a")])
        #expect(try await cloud.publicPage(since: after).names == ["a"])
    }

    /// As a server without the feed leaves a database: nothing counted, no tombstones.
    private func forgetFeed(_ cloud: TestCloud) async throws {
        try await cloud.store.write(cloud.publicDatabase) { transaction in
            transaction.clear(Keyspace.counters)
            for tag in [Keyspace.Tag.tombstone, .history] {
                transaction.clear(KeyRange(prefix: Keyspace.prefix(tag).key))
            }
        }
    }

    @Test("A database from before the feed is listed completely, and followed from then on", arguments: Engine.allCases)
    func upgraded(engine: Engine) async throws {
        let old = try await TestCloud(engine)
        try await old.publish([.make(.create, "a"), .make(.create, "b"), .make(.create, "c")])
        try await old.publish([.make(.forceDelete, "b")])
        try await forgetFeed(old)
        let cloud = old.restarted()
        let first = try await cloud.publicPage(limit: 1)
        #expect(first.names == ["a"] && first.moreComing)
        let rest = try await cloud.publicPage(since: first.syncToken)
        #expect(rest.names == ["c"])
        try await cloud.publish([.make(.forceDelete, "a"), .make(.create, "d")])
        #expect(try await cloud.publicPage(since: rest.syncToken).names == ["-a", "d"])
        #expect(try await cloud.publicPage(since: first.syncToken).names == ["c", "-a", "d"])
        #expect(try await cloud.restarted().publicPage(since: rest.syncToken).names == ["-a", "d"])
    }

    @Test("A token expires if a server without the feed changed the database in between")
    func changedByOlderServer() async throws {
        let cloud = try await TestCloud()
        try await cloud.publish([.make(.create, "a"), .make(.create, "b")])
        let token = try await cloud.publicPage().syncToken
        let counters = try await cloud.store.read(cloud.publicDatabase) { try $0.get(Keyspace.counters) }
        try await cloud.publish([.make(.forceDelete, "a")])
        // It counted nothing and left no tombstone.
        try await cloud.store.write(cloud.publicDatabase) { transaction in
            transaction.set(Keyspace.counters, try #require(counters))
            transaction.clear(KeyRange(prefix: Keyspace.prefix(.tombstone).key))
        }
        await expectExpired { try await cloud.publicPage(since: token) }
        let fresh = try await cloud.publicPage()
        #expect(fresh.names == ["b"])
        try await cloud.publish([.make(.create, "c")])
        await expectExpired { try await cloud.publicPage(since: token) }
        #expect(try await cloud.publicPage(since: fresh.syncToken).names == ["c"])
    }

    @Test("A reset of development ends all tokens; a new account ends no token")
    func reset() async throws {
        let cloud = try await TestCloud()
        try await cloud.publish([.make(.create, "a")])
        let token = try await cloud.publicPage().syncToken
        try await cloud.service.makeUserRecords(try #require(cloud.user("b").userRecordName), in: cloud.context)
        #expect(try await cloud.publicPage(since: token).names == [])
        try await cloud.service.resetDevelopment(of: cloud.context.container)
        await expectExpired { try await cloud.publicPage(since: token) }
        let fresh = try await cloud.publicPage()
        #expect(fresh.names == [])
        try await cloud.publish([.make(.create, "b")])
        #expect(try await cloud.publicPage(since: fresh.syncToken).names == ["b"])
    }
}
