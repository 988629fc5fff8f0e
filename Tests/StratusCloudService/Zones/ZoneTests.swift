import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct ZoneTests {
    @Test(arguments: Engine.allCases)
    func aDeletedZoneLeavesNothingBehind(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let partition = Partition.privateDatabase(of: try #require(cloud.user().userRecordName), in: cloud.context)
        try await cloud.makeZone("Kept")
        _ = try await cloud.modify([.make(.create, "k", ["a": .text("word")])], zone: "Kept")
        let everything = KeyRange(prefix: Key([]))
        let before = try await cloud.store.read(partition) { try $0.entries(in: everything, limit: 1_000_000).count }
        try await cloud.makeZone("Gone")
        for batch in 0..<15 {
            let operations = (0..<200).map {
                RecordOperation.make(.create, "r\(batch)-\($0)", ["a": .text("some words \($0)")])
            }
            _ = try await cloud.modify(operations, zone: "Gone")
        }
        let links = (0..<200).map { index in
            RecordOperation.link("l\(index)", index % 2 == 0 ? .deleteSelf : .validate, to: ["r0-0"], parent: "r0-1")
        }
        #expect(try await cloud.codes(links, zone: "Gone").allSatisfy { $0 == nil })
        try await cloud.store.write(partition) { transaction in
            let number = try #require(try ZoneHeader.find("Gone", in: transaction)?.number)
            transaction.set(Keyspace.cascade(zone: number, target: "r0-2"), [0])
        }
        let results = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "Gone"))], in: .private, as: cloud.user())
        guard case .deleted = results[0] else { throw Unexpected(description: "\(results)") }
        let after = try await cloud.store.read(partition) { try $0.entries(in: everything, limit: 1_000_000).count }
        #expect(after == before + 2, "the database's feed remembers the deletion, by version and by name")
        #expect(try await cloud.lookup(["k"], zone: "Kept")[0].saved != nil)
        #expect(try await cloud.lookup(["r0-0"], zone: "Gone")[0].error?.code == .zoneNotFound)
    }

    /// In a log-structured store the keys that were cleared are stepped over until its files are merged: a deletion
    /// that began each step at the beginning would take time with the square of the zone's size.
    @Test func clearingAZoneNeverReadsWhereItHasCleared() async throws {
        let store = ObservedStore(MemoryStore(), by: ClearedKeys())
        let cloud = try await TestCloud(store: store)
        try await cloud.makeZone("Gone")
        for batch in 0..<15 {
            let operations = (0..<200).map {
                RecordOperation.make(.create, "r\(batch)-\($0)", ["a": .text("some words \($0)")])
            }
            _ = try await cloud.modify(operations, zone: "Gone")
        }
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "Gone"))], in: .private, as: cloud.user())
        #expect(store.observer.clearings > 3)
        #expect(store.observer.readsOverCleared == 0)
    }

    @Test func aZoneThatIsMadeAgainIsEmptyAndAnotherOne() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "r")], zone: "Z")
        let before = try await cloud.service.lookupZones([ZoneID(zoneName: "Z")], in: .private, as: cloud.user())
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "Z"))], in: .private, as: cloud.user())
        try await cloud.makeZone("Z")
        #expect(try await cloud.lookup(["r"], zone: "Z")[0].error?.code == .notFound)
        let after = try await cloud.service.lookupZones([ZoneID(zoneName: "Z")], in: .private, as: cloud.user())
        guard case .zone(let old) = before[0], case .zone(let new) = after[0] else {
            throw Unexpected(description: "\(after)")
        }
        #expect(old.syncToken != new.syncToken)
    }

    @Test("A change tag of a zone that was deleted fits no record of the zone made anew")
    func changeTagsAreNotUsedAgain() async throws {
        let cloud = try await TestCloud()
        var tags: Set<String> = []
        for round in 1...3 {
            try await cloud.makeZone("Z")
            for operation in [RecordOperation.make(.create, "r"), .make(.forceUpdate, "r")] {
                let saved = try #require(try await cloud.modify([operation], zone: "Z")[0].saved)
                #expect(tags.insert(saved.recordChangeTag).inserted, "round \(round)")
            }
            _ = try await cloud.service.modifyZones(
                [ZoneOperation(.delete, ZoneID(zoneName: "Z"))], in: .private, as: cloud.user())
        }
    }

    @Test func theNumberOfZonesIsBounded() async throws {
        let cloud = try await TestCloud()
        let partition = Partition.privateDatabase(of: try #require(cloud.user().userRecordName), in: cloud.context)
        try await cloud.makeZone("first")
        try await cloud.store.write(partition) { transaction in
            var counters = try DatabaseCounters.read(in: transaction)
            counters.customZones = UInt64(ServiceLimits.zonesPerDatabase - 1)
            transaction.set(Keyspace.counters, counters)
        }
        try await cloud.makeZone("last")
        let refused = try await cloud.service.modifyZones(
            [ZoneOperation(.create, ZoneID(zoneName: "over"))], in: .private, as: cloud.user())
        guard case .failed(_, let error) = refused[0] else { throw Unexpected(description: "\(refused)") }
        #expect(error.code == .badRequest)
        #expect(error.reason.contains("10000 zones"))
        try await cloud.makeZone("last")
    }
}
