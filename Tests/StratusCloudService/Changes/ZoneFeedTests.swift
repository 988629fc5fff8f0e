import StratusCloudModel
import StratusCloudStore
import StratusTestSupport
import Testing

@testable import StratusCloudService

@Suite struct ZoneFeedTests {
    @Test("Cases 87 and 88: without a token every live record once, and nothing more afterwards")
    func case87() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b"), .make(.create, "c")], zone: "Z")
        _ = try await cloud.modify([.make(.forceDelete, "b")], zone: "Z")
        let all = try await cloud.changes("Z")
        #expect(all.names == ["a", "c"], "what was gone before is not told")
        #expect(!all.moreComing)
        let nothing = try await cloud.changes("Z", since: all.syncToken)
        #expect(nothing == ZoneChangesPage(changes: [], syncToken: all.syncToken, moreComing: false))
    }

    @Test("Cases 89 to 91: a record stands once, in its latest state, deleted ones with their type")
    func case89() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b", type: "Other")], zone: "Z")
        let token = try await cloud.changes("Z").syncToken
        for value in 1...3 {
            _ = try await cloud.modify([.make(.forceUpdate, "a", ["n": .integer(Int64(value))])], zone: "Z")
        }
        _ = try await cloud.modify([.make(.forceDelete, "b"), .make(.create, "new")], zone: "Z")
        _ = try await cloud.modify([.make(.forceDelete, "new")], zone: "Z")
        let page = try await cloud.changes("Z", since: token)
        #expect(page.names == ["a", "-b", "-new"])
        guard case .saved(let record)? = page.changes.first else { throw Unexpected(description: "\(page)") }
        #expect(record.fields["n"]?.value == .scalar(.int64(3)))
        let zone = ZoneID(zoneName: "Z", ownerRecordName: cloud.user().userRecordName)
        #expect(page.changes[1] == .deleted(recordName: "b", recordType: "Other", zoneID: zone))
        // Saved again, it is there again, once.
        _ = try await cloud.modify([.make(.create, "b", type: "Third")], zone: "Z")
        #expect(try await cloud.changes("Z", since: token).names == ["a", "-new", "b"])
    }

    @Test("Case 92: pages of any size resume exactly", arguments: [1, 2, 3, 7, 200, 1_000])
    func case92(limit: Int) async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let names = (0..<20).map { "r\($0)" }
        _ = try await cloud.modify(names.map { .make(.create, $0) }, zone: "Z")
        var token: String?
        var found: [String] = []
        var turns = PageTurns()
        while true {
            let page = try await cloud.changes("Z", since: token, limit: limit)
            #expect(page.changes.count == min(limit, names.count - found.count))
            found += page.names
            token = page.syncToken
            #expect(page.moreComing == (found.count < names.count))
            if !page.moreComing { break }
            try turns.turn(to: token)
        }
        #expect(found == names)
    }

    @Test("The latest first: everything once, then what changed meanwhile")
    func reverse() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify((0..<7).map { .make(.create, "r\($0)") }, zone: "Z")
        let first = try await cloud.changes("Z", limit: 3, reverse: true)
        #expect(first.names == ["r6", "r5", "r4"])
        #expect(first.reverse && first.moreComing)
        _ = try await cloud.modify(
            [.make(.forceUpdate, "r1"), .make(.forceUpdate, "r5"), .make(.forceDelete, "r2")], zone: "Z")
        // A walk that was begun goes on its way, whatever is asked.
        let second = try await cloud.changes("Z", since: first.syncToken, limit: 3)
        #expect(second.names == ["r3", "r0"])
        #expect(second.reverse && second.moreComing, "what changed since the walk began is still to come")
        let third = try await cloud.changes("Z", since: second.syncToken, limit: 2)
        #expect(third.names == ["r1", "r5"])
        #expect(!third.reverse && third.moreComing)
        let last = try await cloud.changes("Z", since: third.syncToken, reverse: true)
        #expect(last.names == ["-r2"])
        #expect(last.reverse && !last.moreComing)
        #expect(try await cloud.changes("Z", since: last.syncToken, reverse: true).names == [])
    }

    @Test("Only the types and fields that are wanted")
    func wanted() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let operations = (0..<30).map { number in
            RecordOperation.make(
                .create, "r\(number)", type: number % 10 == 9 ? "Rare" : "Common",
                ["a": .integer(1), "b": .integer(2)])
        }
        _ = try await cloud.modify(operations, zone: "Z")
        let token = try await cloud.changes("Z").syncToken
        _ = try await cloud.modify([.make(.forceDelete, "r0"), .make(.forceDelete, "r9")], zone: "Z")
        #expect(try await cloud.changes("Z", since: token, types: ["Rare"]).names == ["-r9"])
        let page = try await cloud.changes("Z", limit: 2, keys: ["b", "absent"], types: ["Rare", "Absent"])
        #expect(page.names == ["r19", "r29"])
        for case .saved(let record) in page.changes { #expect(record.fields.map(\.name) == ["b"]) }
        #expect(try await cloud.changes("Z", types: []).changes.isEmpty)
        guard case .saved(let bare)? = try await cloud.changes("Z", limit: 1, keys: []).changes.first else {
            throw Unexpected(description: "no record")
        }
        #expect(bare.fields.isEmpty && bare.recordType == "Common")
    }

    @Test("A record that is made again with another type is gone for who wants the old one only")
    func otherType() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "r", type: "Old")], zone: "Z")
        let token = try await cloud.changes("Z").syncToken
        _ = try await cloud.modify([.make(.forceDelete, "r")], zone: "Z")
        _ = try await cloud.modify([.make(.create, "r", type: "New")], zone: "Z")
        func told(_ types: [String]?) async throws -> [String] {
            try await cloud.changes("Z", since: token, types: types).names
        }
        #expect(try await told(nil) == ["r"])
        #expect(try await told(["New"]) == ["r"])
        #expect(try await told(["Old"]) == ["-r"])
        #expect(try await told(["Old", "New"]) == ["r"])
        _ = try await cloud.modify([.make(.forceDelete, "r")], zone: "Z")
        #expect(try await told(["Old"]) == ["-r"])
        #expect(try await told(["Old", "New"]) == ["-r"])
        _ = try await cloud.modify([.make(.create, "r", type: "Old")], zone: "Z")
        #expect(try await told(["Old"]) == ["r"])
        #expect(try await told(["New"]) == ["-r"])
        cloud.clock.withLock { $0 += ServiceLimits.tombstoneRetention }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 2)
        #expect(try await cloud.lookup(["r"], zone: "Z")[0].saved != nil)
    }

    @Test("Zones of a request stand alone, in its order")
    func several() async throws {
        let cloud = try await TestCloud()
        for zone in ["A", "B"] {
            try await cloud.makeZone(zone)
            _ = try await cloud.modify([.make(.create, "in\(zone)")], zone: zone)
        }
        let token = try await cloud.changes("A").syncToken
        let requests = [
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "B")),
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "Absent")),
            ZoneChangesRequest(zoneID: .default),
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "A"), syncToken: token),
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "B"), syncToken: token),
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "A"), resultsLimit: 0),
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "A", ownerRecordName: cloud.user("b").userRecordName)),
            ZoneChangesRequest(
                zoneID: ZoneID(zoneName: "A"),
                desiredKeys: Array(repeating: "k", count: ModelLimits.desiredNames + 1)),
            ZoneChangesRequest(zoneID: ZoneID(zoneName: "A")),
        ]
        let results = try await cloud.service.zoneChanges(requests, in: .private, as: cloud.user())
        let told = results.map { result in
            switch result {
            case .page(let zone, let page): "\(zone.zoneName): \(page.names.joined(separator: " "))"
            case .failed(let zone, let error): "\(zone.zoneName) \(error)"
            }
        }
        #expect(
            told == [
                "B: inB", "Absent ZONE_NOT_FOUND: Zone 'Absent' does not exist",
                "_defaultZone BAD_REQUEST: cannot get changes in default zone", "A: ",
                "B \(SyncToken.expired)", "A BAD_REQUEST: resultsLimit must be 1 to 200, not 0",
                "A BAD_REQUEST: PrivateDB can't be used to access another user's zone",
                "A BAD_REQUEST: desiredKeys has 1001 names, which is more than the maximum of 1000", "A: inA",
            ])
    }

    @Test("The number of zones of a request is bounded")
    func zoneLimit() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let request = ZoneChangesRequest(zoneID: ZoneID(zoneName: "Z"))
        let most = Array(repeating: request, count: ServiceLimits.zonesPerFeedRequest)
        #expect(try await cloud.service.zoneChanges(most, in: .private, as: cloud.user()).count == most.count)
        let error = await #expect(throws: CloudError.self) {
            try await cloud.service.zoneChanges(most + [request], in: .private, as: cloud.user())
        }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("201 zones") == true)
    }

    @Test("A request reads a bounded number of bytes and records; what is left comes with the next")
    func budget() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Large")
        let text = String(repeating: "x", count: 900_000)
        for number in 0..<12 {
            _ = try await cloud.modify([.make(.create, "r\(number)", ["t": .text(text)])], zone: "Large")
        }
        var token: String?
        var found: [String] = []
        var pages = 0
        var turns = PageTurns()
        while true {
            let page = try await cloud.changes("Large", since: token)
            let bytes = page.changes.count * text.utf8.count
            #expect(page.changes.count > 0)
            #expect(bytes < ServiceLimits.feedRequestSize + ModelLimits.recordSize)
            found += page.names
            token = page.syncToken
            pages += 1
            if !page.moreComing { break }
            try turns.turn(to: token)
        }
        #expect(found == (0..<12).map { "r\($0)" })
        // The zones behind a large one wait.
        try await cloud.makeZone("Small")
        _ = try await cloud.modify([.make(.create, "s")], zone: "Small")
        let requests = ["Large", "Small"].map { ZoneChangesRequest(zoneID: ZoneID(zoneName: $0)) }
        let results = try await cloud.service.zoneChanges(requests, in: .private, as: cloud.user())
        guard case .page(_, let waiting)? = results.last else { throw Unexpected(description: "\(results)") }
        #expect(waiting.changes.isEmpty && waiting.moreComing)
        #expect(try await cloud.changes("Small", since: waiting.syncToken).names == ["s"])
    }

    @Test("A request reads at most so many records, and says where there are more")
    func recordBudget() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify((0..<200).map { .make(.create, "r\($0)") }, zone: "Z")
        let full = ServiceLimits.recordsPerFeedRequest / 200
        let names = Array(repeating: "k", count: ModelLimits.desiredNames)
        let request = ZoneChangesRequest(zoneID: ZoneID(zoneName: "Z"), desiredKeys: names)
        let results = try await cloud.service.zoneChanges(
            Array(repeating: request, count: full + 1), in: .private, as: cloud.user())
        let pages = results.compactMap { if case .page(_, let page) = $0 { page } else { nil } }
        #expect(pages.map(\.changes.count) == Array(repeating: 200, count: full) + [0])
        #expect(pages.map(\.moreComing) == Array(repeating: false, count: full) + [true])
        #expect(try await cloud.changes("Z", since: pages.last?.syncToken).changes.count == 200)
    }

    @Test("Case 95: default zones and the public database have no feed")
    func case95() async throws {
        let cloud = try await TestCloud()
        let error = await #expect(throws: CloudError.self) { try await cloud.changes("_defaultZone") }
        #expect(error == CloudError(.badRequest, "cannot get changes in default zone"))
        let request = [ZoneChangesRequest(zoneID: ZoneID(zoneName: "Z"))]
        for caller in [cloud.user(), cloud.anonymous] {
            let refused = await #expect(throws: CloudError.self) {
                try await cloud.service.zoneChanges(request, in: .public, as: caller)
            }
            #expect(refused == CloudError(.badRequest, "the public database has no change feeds"))
            await #expect(throws: CloudError.self) { try await cloud.databaseChanges(in: .public, as: caller) }
        }
        await #expect(throws: Authorization.authenticationRequired) {
            try await cloud.databaseChanges(as: cloud.anonymous)
        }
        let shared = try await cloud.service.zoneChanges(request, in: .shared, as: cloud.user())
        guard case .failed(_, let notFound)? = shared.first else { throw Unexpected(description: "\(shared)") }
        #expect(notFound.code == .badRequest, "a zone of one's own is not asked of the shared database")
    }
}
