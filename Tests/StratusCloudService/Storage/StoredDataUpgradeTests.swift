import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Data of the former form become what this version would have stored.
@Suite struct StoredDataUpgradeTests {
    @Test(arguments: StoreEngine.allCases) func theStateIsAsIfWrittenNow(engine: StoreEngine) async throws {
        let directory = try Scratch()
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        let cloud = try await Self.filled(store)
        let before = try await answers(of: cloud)
        let expected = try await Self.expected(cloud, store)
        try await Self.makeFormer(store)
        #expect(try await store.rows() != expected)

        let moved = try await StoredDataUpgrade(store).run()
        #expect(moved > 500)
        try await expectEqual(store, expected)
        #expect(try await StoredDataUpgrade(store).run() == 0, "once is enough")
        let after = TestCloud(cloud, store: store)
        #expect(try await answers(of: after) == before)
        try await Self.goOn(after)
        await store.close()
    }

    @Test("Cut short after any transaction, an upgrade goes on", arguments: StoreEngine.allCases)
    func interruptions(engine: StoreEngine) async throws {
        let directory = try Scratch()
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        let expected = try await Self.expected(try await Self.filled(store, count: 110), store)
        var writes = 0
        while true {
            try await Self.makeFormer(store)
            do {
                try await StoredDataUpgrade(store.interrupted(after: writes)).run()
                break
            } catch is Interruption {
                writes += 1
            }
            try await StoredDataUpgrade(store).run()
            try await expectEqual(store, expected)
            // As it was, to be cut short a step later.
            try await store.write(.directory) { $0.clear(DirectoryKey.storedForm) }
        }
        #expect(writes > 8)
        try await expectEqual(store, expected)
        await store.close()
    }

    @Test(arguments: StoreEngine.allCases) func whatALaterVersionLeftStaysAsItIs(engine: StoreEngine) async throws {
        let directory = try Scratch()
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        _ = try await Self.filled(store, count: 20)
        _ = try await StoredDataUpgrade(store).run()
        try await store.write(.directory) { transaction in
            var writer = ByteWriter(capacity: 1)
            writer.write(unsigned: StoredDataUpgrade.present + 1)
            transaction.set(DirectoryKey.storedForm, writer.bytes)
        }
        let before = try await store.rows()
        let refused = await #expect(throws: StoreError.self) { try await StoredDataUpgrade(store).run() }
        #expect(refused?.code == .newerFormat && refused?.message.contains("form 4") == true)
        #expect(try await store.rows() == before)
        await store.close()
    }

    @Test func anEmptyStoreNeedsNothing() async throws {
        let directory = try Scratch()
        let store = try StoreEngine.open(directory: directory.path)
        #expect(try await store.partitions().isEmpty)
        #expect(try await StoredDataUpgrade(store).run() == 0)
        #expect(try await store.partitions() == [.directory])
        await store.close()
    }

    // MARK: - Data

    /// Zones with and without a feed, tombstones, records that came again, parents, indexes, a zone of which a crash
    /// left a part, in the databases of everybody and of two people.
    private static func filled(_ store: any MaintainedStore, count: Int = 260) async throws -> TestCloud {
        let cloud = try await TestCloud(store: store)
        try await cloud.service.createAccount(email: "ada@example.org", password: "a long password")
        _ = try await cloud.service.userRecordName(email: "ada@example.org", in: cloud.context)
        try await cloud.makeZone("Z")
        try await cloud.makeZone("Gone")
        func notes(_ range: Range<Int>, _ kind: RecordOperation.Kind = .forceUpdate) -> [RecordOperation] {
            range.map { .make(kind, "n\($0)", ["x": .integer(Int64($0 % 7)), "text": .text("word \($0)")]) }
        }
        for start in stride(from: 0, to: count, by: count / 2) {
            _ = try await cloud.modify(notes(start..<start + count / 2), zone: "Z")
            _ = try await cloud.modify(notes(start..<start + count / 2))
        }
        _ = try await cloud.modify(notes(0..<30), zone: "Gone")
        _ = try await cloud.modify(notes(10..<40), zone: "Z")
        _ = try await cloud.modify(notes(0..<5), in: .public)
        _ = try await cloud.modify(notes(0..<5), as: cloud.user("b"))
        _ = try await cloud.modify((0..<20).map { .make(.forceDelete, "n\($0)") }, zone: "Z")
        _ = try await cloud.modify((0..<20).map { .make(.forceDelete, "n\($0)") })
        _ = try await cloud.modify([.make(.create, "n3"), .make(.create, "n4", type: "Other")], zone: "Z")
        _ = try await cloud.modify([.link("a"), .link("b", .deleteSelf, to: ["a"])], zone: "Z")
        // As a crash leaves it between the deletion of a zone and the clearing of what it held.
        try await store.write(cloud.database) { transaction in
            let header = try #require(try ZoneHeader.find("Gone", in: transaction))
            transaction.set(Keyspace.deletedZone(header.number), [])
        }
        return cloud
    }

    private static func makeFormer(_ store: any MaintainedStore) async throws {
        for (partition, rows) in try await store.rows() where partition.databaseContext != nil {
            var former = try FormerData.rows(from: rows)
            // Left of a deleted zone whose records were cleared already.
            former[Keyspace.prefix(.formerChange, zone: ZoneNumber(rawValue: 99)).key(7)] = Array("n1".utf8)
            let (gone, there) = (Set(rows.keys).subtracting(former.keys), former)
            try await store.write(partition) { transaction in
                for key in gone { transaction.clear(key) }
                for (key, value) in there { transaction.set(key, value) }
            }
        }
    }

    private static func expected(_ cloud: TestCloud, _ store: any MaintainedStore) async throws -> StoreRows {
        let schema = try await cloud.service.schema(of: cloud.context)
        var all = try await store.rows()
        for (partition, rows) in all where partition.databaseContext != nil {
            all[partition] = try FormerData.hinted(rows, schema)
        }
        return all
    }

    // MARK: - What clients see

    private func answers(of cloud: TestCloud) async throws -> [String] {
        var answers: [String] = []
        for zone in [nil, "Z"] {
            let found = try await cloud.lookup((0..<200).map { "n\($0)" }, zone: zone)
            answers += found.map { "\($0.saved.map(String.init(describing:)) ?? String(describing: $0.error))" }
            let page = try await cloud.service.queryRecords(
                QueryRecordsRequest(
                    query: Query(recordType: "Note", filters: [Filter(.equals, "x", .integer(3))]),
                    zoneID: zone.map { ZoneID(zoneName: $0) }), in: .private, as: cloud.user())
            answers += page.records.map { "\($0)" }
        }
        var page = try await cloud.changes("Z", limit: 100)
        answers += page.changes.map { "\($0)" }
        while page.moreComing {
            page = try await cloud.changes("Z", since: page.syncToken, limit: 100)
            answers += page.changes.map { "\($0)" }
        }
        let others = try await cloud.changes("Z", types: ["Other"])
        answers += others.changes.map { "\($0)" }
        answers.append("\(try await cloud.lookup(["n1"], in: .public))")
        answers.append("\(try await cloud.lookup(["n1"], as: cloud.user("b")))")
        return answers
    }

    /// Everything can still be changed, and a count that is kept right comes to nothing at the end.
    private static func goOn(_ cloud: TestCloud) async throws {
        let user = try #require(cloud.user().userRecordName)
        _ = try await cloud.modify([.make(.forceUpdate, "n150", ["x": .integer(9)])], zone: "Z")
        #expect(try await cloud.lookup(["n150"], zone: "Z")[0].saved?.fields.count == 2)
        for zone in [nil, "Z"] {
            for start in stride(from: 0, to: 260, by: 130) {
                _ = try await cloud.modify((start..<start + 130).map { .make(.forceDelete, "n\($0)") }, zone: zone)
            }
        }
        _ = try await cloud.modify([.make(.forceDelete, "a")], zone: "Z")
        try await cloud.deleteZone("Gone")
        let usage = try await cloud.service.usage(of: .private, as: cloud.user())
        #expect(usage == Usage(), "\(user)")
        let left = try await cloud.store.read(cloud.database) { transaction in
            try transaction.entries(in: Keyspace.versions, limit: 10)
        }
        #expect(left.isEmpty)
    }
}
