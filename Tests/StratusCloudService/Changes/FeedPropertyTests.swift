import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Followers end with exactly the owner's state, whatever happens meanwhile.
@Suite struct FeedPropertyTests {
    private static let zones = ["A", "B", "C"]
    private static let names = (0..<12).map { "r\($0)" }
    private static let types = ["Note", "Task"]
    private static let steps = 500

    @Test("Random histories, with pages of any size, restarts, purges and restored backups", arguments: 0..<3)
    func randomHistories(run: Int) async throws {
        let seed = Seed.draw()
        print("feeds: run \(run), seed \(seed)")
        try await play(seed, on: try await TestCloud(.memory), canRestore: true)
    }

    @Test("The same on every engine", arguments: Engine.allCases)
    func engines(engine: Engine) async throws {
        let seed = Seed.draw()
        print("feeds: \(engine), seed \(seed)")
        try await play(seed, on: try await TestCloud(engine), canRestore: false)
    }

    @Test("A history in which a zone was fetched in a future that was lost, by who knew of its change before")
    func lostFuture() async throws {
        try await play(1_475_579_834_733_515_534, on: try await TestCloud(.memory), canRestore: true)
    }

    private func play(_ seed: UInt64, on start: TestCloud, canRestore: Bool) async throws {
        var random = RandomValues(seed: seed)
        var cloud = start
        var backup = try await cloud.backup()
        var followers = [
            Follower(limit: 1), Follower(limit: 2), Follower(limit: 5), Follower(limit: nil),
            Follower(limit: 3, types: ["Task"]),
        ]
        for step in 0..<Self.steps {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<8: try await changeZones(cloud, using: &random)
            case 8..<11: cloud = cloud.restarted()
            case 11..<13:
                cloud.clock.withLock { $0 += ServiceLimits.tombstoneRetention / 2 }
                _ = try await cloud.service.purgeTombstones(in: cloud.database)
            case 13..<14 where canRestore: backup = try await cloud.backup()
            case 14..<15 where canRestore:
                cloud = try await cloud.restored(from: backup)
                for index in followers.indices { followers[index].doubtZones() }
            case 15..<50: try await changeRecords(cloud, using: &random)
            default:
                let index = Int.random(in: 0..<followers.count, using: &random)
                try await followers[index].step(cloud, using: &random)
            }
            guard step % 50 == 49 else { continue }
            let index = Int.random(in: 0..<followers.count, using: &random)
            try await followers[index].catchUp(cloud, using: &random)
            try await expectEqual(followers[index], cloud, "seed \(seed), step \(step)")
        }
        for index in followers.indices {
            try await followers[index].catchUp(cloud, using: &random)
            try await expectEqual(followers[index], cloud, "seed \(seed), at the end")
        }
    }

    private func changeZones(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        let zone = Self.zones.randomElement(using: &random) ?? "A"
        let kind: ZoneOperation.Kind = Int.random(in: 0..<3, using: &random) == 0 ? .delete : .create
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(kind, ZoneID(zoneName: zone))], in: .private, as: cloud.user())
    }

    private func changeRecords(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        let zone = Self.zones.randomElement(using: &random) ?? "A"
        var names = Self.names.shuffled(using: &random)
        let operations = (0..<Int.random(in: 1...6, using: &random)).map { _ -> RecordOperation in
            let name = names.removeLast()
            // A record has its type for life; made again after a deletion it may have another.
            let type = Self.types.randomElement(using: &random)
            let kind = [RecordOperation.Kind.create, .forceUpdate, .forceReplace, .forceDelete]
                .randomElement(using: &random)
            return .make(kind ?? .create, name, type: type, ["n": .integer(random.int64())])
        }
        _ = try await cloud.modify(operations, zone: zone, atomic: Bool.random(using: &random))
    }

    private func expectEqual(_ follower: Follower, _ cloud: TestCloud, _ context: String) async throws {
        let owned = try await cloud.service.listZones(in: .private, as: cloud.user())
            .map(\.zoneID.zoneName).filter { $0 != ZoneID.defaultZoneName }
        #expect(follower.zones.keys.sorted() == owned.sorted(), "\(context)")
        for zone in owned {
            let records = try await cloud.lookup(Self.names, zone: zone).compactMap(\.saved)
                .filter { follower.types?.contains($0.recordType) ?? true }
            let expected = Dictionary(uniqueKeysWithValues: records.map { ($0.recordName, $0) })
            let isEqual = follower.zones[zone]?.records == expected
            #expect(isEqual, "\(context), zone \(zone)")
        }
    }

    @Test("Threat 62: a feed that is read while many write has no gap", arguments: Engine.allCases)
    func concurrentWriters(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("A")
        let seed = Seed.draw()
        print("feeds: concurrent writers, \(engine), seed \(seed)")
        try await withThrowingTaskGroup(of: Follower?.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var random = RandomValues(seed: seed &+ UInt64(writer))
                    for _ in 0..<40 { try await self.changeRecordsOfA(cloud, using: &random) }
                    return nil
                }
            }
            for reader in 0..<3 {
                group.addTask {
                    var random = RandomValues(seed: seed &+ 100 &+ UInt64(reader))
                    var follower = Follower(limit: reader * 2 + 1)
                    for _ in 0..<60 { try await follower.step(cloud, using: &random) }
                    return follower
                }
            }
            var followers: [Follower] = []
            for try await follower in group { if let follower { followers.append(follower) } }
            // Now that all is written, those that followed it must have missed nothing.
            var random = RandomValues(seed: seed)
            for index in followers.indices {
                try await followers[index].catchUp(cloud, using: &random)
                try await expectEqual(followers[index], cloud, "seed \(seed)")
            }
        }
    }

    private func changeRecordsOfA(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        let operations = Self.names.shuffled(using: &random).prefix(3).map { name -> RecordOperation in
            let kind: RecordOperation.Kind = Int.random(in: 0..<3, using: &random) == 0 ? .forceDelete : .forceUpdate
            return .make(kind, name, ["n": .integer(random.int64())])
        }
        _ = try await cloud.modify(operations, zone: "A", atomic: false)
    }
}
