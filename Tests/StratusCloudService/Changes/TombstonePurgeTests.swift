import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct TombstonePurgeTests {
    private static let year = ServiceLimits.tombstoneRetention

    @Test("Deletions are told for a year; then older tokens have expired", arguments: Engine.allCases)
    func retention(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        try await cloud.makeZone("Gone")
        let names = (0..<ServiceLimits.purgedTombstonesPerStep + 100).map { "r\($0)" }
        for start in stride(from: 0, to: names.count, by: 200) {
            let batch = names[start..<min(start + 200, names.count)]
            _ = try await cloud.modify(batch.map { .make(.create, $0) }, zone: "Z")
        }
        let before = (
            zone: try await cloud.changes("Z").syncToken, database: try await cloud.databaseChanges().syncToken
        )
        for start in stride(from: 1, to: names.count, by: 200) {
            let batch = names[start..<min(start + 200, names.count)]
            _ = try await cloud.modify(batch.map { .make(.forceDelete, $0) }, zone: "Z")
        }
        try await cloud.deleteZone("Gone")
        let after = (
            zone: try await cloud.changes("Z").syncToken, database: try await cloud.databaseChanges().syncToken
        )
        _ = try await cloud.modify([.make(.create, "late")], zone: "Z")

        cloud.clock.withLock { $0 += Self.year - 1 }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 0)
        #expect(try await cloud.changes("Z", since: before.zone, limit: 1).names == ["-r1"])
        #expect(try await cloud.databaseChanges(since: before.database).names == ["-Gone", "Z"])

        cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == names.count)
        await expectExpired("client knowledge differs") { try await cloud.changes("Z", since: before.zone) }
        await expectExpired("client knowledge differs") { try await cloud.databaseChanges(since: before.database) }
        #expect(try await cloud.changes("Z", since: after.zone).names == ["late"], "who knew all misses nothing")
        #expect(try await cloud.databaseChanges(since: after.database).names == ["Z"])
        #expect(try await cloud.changes("Z").names == ["r0", "late"])
        let rest = try await cloud.store.read(cloud.database) { transaction in
            try [Keyspace.Tag.tombstone, .zoneTombstone, .deletedName].map { tag in
                try transaction.entries(in: KeyRange(prefix: Key([tag.rawValue])), limit: .max).count
            }
        }
        #expect(rest == [0, 0, 0])
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 0)
    }

    /// In a log-structured store what was cleared is stepped over until its files are merged.
    @Test("A purge in many steps never reads where it has cleared, nor does the next one")
    func neverReadsWhereItHasCleared() async throws {
        let store = ObservedStore(MemoryStore(), by: ClearedKeys(notesKeys: true))
        let cloud = try await TestCloud(store: store)
        try await cloud.makeZone("Z")
        for round in 0..<2 {
            let names = (0..<2 * ServiceLimits.purgedTombstonesPerStep + 100).map { "r\(round)-\($0)" }
            for kind in [RecordOperation.Kind.create, .forceDelete] {
                for start in stride(from: 0, to: names.count, by: 200) {
                    let batch = names[start..<min(start + 200, names.count)]
                    _ = try await cloud.modify(batch.map { .make(kind, $0) }, zone: "Z")
                }
            }
            if round == 0 { store.observer.forget() }
            cloud.clock.withLock { $0 += Self.year }
            #expect(try await cloud.service.purgeTombstones(in: cloud.database) == names.count)
            #expect(store.observer.clearings >= (round + 1) * names.count)
        }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 0)
        #expect(store.observer.readsOverCleared == 0)
    }

    @Test("Who begins with nothing after a purge goes on, page by page, though its versions are older than the purge")
    func beginningAfterPurge() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify((0..<6).map { .make(.create, "r\($0)") }, zone: "Z")
        let stale = try await cloud.changes("Z", limit: 2)
        _ = try await cloud.modify([.make(.forceDelete, "r5")], zone: "Z")
        cloud.clock.withLock { $0 += Self.year }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 1)
        await expectExpired { try await cloud.changes("Z", since: stale.syncToken) }
        let first = try await cloud.changes("Z", limit: 2)
        #expect(first.names == ["r0", "r1"])
        // Deleted after it began, it must be told, and must still be there to be told.
        _ = try await cloud.modify([.make(.forceDelete, "r0")], zone: "Z")
        let second = try await cloud.changes("Z", since: first.syncToken)
        #expect(second.names == ["r2", "r3", "r4", "-r0"])
        cloud.clock.withLock { $0 += Self.year }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 1)
        await expectExpired { try await cloud.changes("Z", since: first.syncToken) }
        #expect(try await cloud.changes("Z", since: second.syncToken).names == [])
    }

    @Test("A record that is saved again is never purged")
    func savedAgain() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "r")], zone: "Z")
        _ = try await cloud.modify([.make(.forceDelete, "r")], zone: "Z")
        let token = try await cloud.changes("Z").syncToken
        _ = try await cloud.modify([.make(.create, "r")], zone: "Z")
        cloud.clock.withLock { $0 += Self.year * 2 }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 0)
        #expect(try await cloud.changes("Z", since: token).names == ["r"])
        #expect(try await cloud.lookup(["r"], zone: "Z")[0].saved != nil)
    }

    @Test("Past histories are forgotten with their time, and their tokens with them")
    func histories() async throws {
        var cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let token = try await cloud.changes("Z").syncToken
        for number in 0..<5 {
            cloud = cloud.restarted()
            _ = try await cloud.modify([.make(.create, "r\(number)")], zone: "Z")
        }
        #expect(try await cloud.changes("Z", since: token).changes.count == 5)
        cloud.clock.withLock { $0 += Self.year }
        _ = try await cloud.service.purgeTombstones(in: cloud.database)
        let count = try await cloud.store.read(cloud.database) { transaction in
            try transaction.entries(in: KeyRange(prefix: Key([Keyspace.Tag.history.rawValue])), limit: .max).count
        }
        #expect(count == 0)
        await expectExpired { try await cloud.changes("Z", since: token) }
        #expect(try await cloud.changes("Z").changes.count == 5)
    }

    @Test("All private databases of all containers are visited, and what a crash left of a deleted zone is cleared")
    func everywhere() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.createAccount(email: "ada@example.org", password: "a long password")
        var databases: [Partition] = []
        for environment in CloudEnvironment.allCases {
            let context = CloudContext(container: cloud.context.container, environment: environment)
            let name = try await cloud.service.userRecordName(email: "ada@example.org", in: context)
            let ada = Caller(context: context, principal: .user(name))
            databases.append(.privateDatabase(of: name, in: context))
            _ = try await cloud.service.modifyZones(
                [ZoneOperation(.create, ZoneID(zoneName: "Z")), ZoneOperation(.create, ZoneID(zoneName: "Gone"))],
                in: .private, as: ada)
            _ = try await cloud.service.modifyZones(
                [ZoneOperation(.delete, ZoneID(zoneName: "Gone"))], in: .private, as: ada)
        }
        let left = ZoneNumber(rawValue: 99)
        try await cloud.store.write(databases[0]) { transaction in
            transaction.set(Keyspace.deletedZone(left), [])
            let tombstone = Tombstone(recordType: "T", version: 1, deleted: 0)
            transaction.set(Keyspace.record(zone: left, name: "r"), NameEntry.deleted(tombstone).stored)
        }
        cloud.clock.withLock { $0 += Self.year }
        #expect(try await cloud.service.purgeTombstones() == 2)
        let found = try await cloud.store.read(databases[0]) { try $0.get(Keyspace.record(zone: left, name: "r")) }
        #expect(found == nil)
    }
}
