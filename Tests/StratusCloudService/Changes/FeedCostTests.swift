import StratusCloudModel
import StratusCloudStore
import StratusTestSupport
import Testing

@testable import StratusCloudService

/// What a page costs goes by the page, not by the zone.
@Suite struct FeedCostTests {
    @Test("As many keys are read for a page of a large zone as of a small one")
    func keysRead() async throws {
        var costs: [String: Set<Int>] = [:]
        for count in [10, 1_000] {
            let meter = AccessMeter()
            let cloud = try await TestCloud(store: ObservedStore(MemoryStore(), by: meter))
            try await cloud.makeZone("Z")
            for start in stride(from: 0, to: count, by: 200) {
                let names = (start..<min(start + 200, count)).map { "r\($0)" }
                _ = try await cloud.modify(names.map { .make(.create, $0) }, zone: "Z")
            }
            func cost(_ what: String, _ body: () async throws -> ZoneChangesPage) async throws -> ZoneChangesPage {
                var page: ZoneChangesPage?
                costs[what, default: []].insert(try await meter.counting { page = try await body() }.read)
                return try #require(page)
            }
            let first = try await cost("first page") { try await cloud.changes("Z", limit: 5) }
            _ = try await cost("second page") { try await cloud.changes("Z", since: first.syncToken, limit: 4) }
            _ = try await cost("latest first") { try await cloud.changes("Z", limit: 5, reverse: true) }
            var all = first
            var turns = PageTurns()
            while all.moreComing {
                try turns.turn(to: all.syncToken)
                all = try await cloud.changes("Z", since: all.syncToken)
            }
            _ = try await cost("nothing new") { try await cloud.changes("Z", since: all.syncToken) }
            _ = try await cloud.modify([.make(.forceUpdate, "r3"), .make(.forceDelete, "r4")], zone: "Z")
            _ = try await cost("two changes") { try await cloud.changes("Z", since: all.syncToken) }
            costs["database", default: []].insert(
                try await meter.counting { _ = try await cloud.databaseChanges() }.read)
        }
        for (what, keys) in costs { #expect(keys.count == 1, "\(what): \(keys)") }
        // Header, counters, what the client gave last, and a record more than asked.
        #expect(costs["first page"] == [3 + 6])
        #expect(costs["nothing new"] == [3])
        #expect(costs["two changes"] == [3 + 2])
    }

    @Test("Sharing costs the owner's pages and lookups nothing but what the share records say")
    func sharedZones() async throws {
        let meter = AccessMeter()
        let cloud = try await TestCloud(store: ObservedStore(MemoryStore(), by: meter))
        var costs: [[AccessMeter.Counts]] = []
        for isShared in [false, true] {
            let zone = isShared ? "Shared" : "Own"
            try await cloud.makeZone(zone)
            _ = try await cloud.modify((0..<20).map { .make(.create, "r\($0)") }, zone: zone)
            if isShared {
                var input = ShareInput()
                input.participants = ["_b", "_c"].map { ShareParticipantInput(lookup: .userRecordName($0)) }
                let share = RecordInput(
                    recordName: SystemRecordType.zoneShareName, recordType: SystemRecordType.share,
                    share: Boxed(input))
                let saved = try await cloud.modify([RecordOperation(.create, share)], zone: zone)
                #expect(saved.first?.saved != nil)
            }
            costs.append([
                try await meter.counting {
                    let page = try await cloud.changes(zone, limit: 10)
                    #expect(page.names.count == 10)
                },
                try await meter.counting {
                    let found = try await cloud.lookup(["r1", "r2"], zone: zone)
                    #expect(found.allSatisfy { $0.saved != nil })
                },
            ])
        }
        // Header, counters, what the client gave last; what is there, and of that one more than asked.
        #expect(costs[0][0] == AccessMeter.Counts(keys: 3, ranges: 1, entries: 11))
        // Header, and name and record of each.
        #expect(costs[0][1] == AccessMeter.Counts(keys: 1 + 4))
        #expect(costs[1] == costs[0])
    }

    @Test("Deletions do not stand in the way of who begins with nothing")
    func deletions() async throws {
        let meter = AccessMeter()
        let cloud = try await TestCloud(store: ObservedStore(MemoryStore(), by: meter))
        try await cloud.makeZone("Z")
        for _ in 0..<5 {
            let names = (0..<200).map { "r\($0)" }
            _ = try await cloud.modify(names.map { .make(.create, $0) }, zone: "Z")
            _ = try await cloud.modify(names.map { .make(.forceDelete, $0) }, zone: "Z")
        }
        _ = try await cloud.modify([.make(.create, "live")], zone: "Z")
        let cost = try await meter.counting {
            let names = try await cloud.changes("Z").names
            #expect(names == ["live"])
        }
        #expect(cost.read == 3 + 1)
    }
}
