import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// `changes/records`: which changes are told, and in which pages.
@Suite struct PublicFeedTests {
    @Test("Saved and deleted records are listed with their types, each once", arguments: Engine.allCases)
    func savedAndDeleted(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.publish([.make(.create, "a"), .make(.create, "b"), .make(.create, "c", type: "Book")])
        let first = try await cloud.publicPage()
        #expect(first.names == ["a", "b", "c"] && !first.moreComing)
        try await cloud.publish([.make(.forceUpdate, "a"), .make(.forceDelete, "c"), .make(.create, "d")])
        let next = try await cloud.publicPage(since: first.syncToken)
        #expect(next.names == ["a", "-c", "d"])
        #expect(
            next.changes.contains(
                .deleted(
                    recordName: "c", recordType: "Book",
                    zoneID: ZoneID(zoneName: "_defaultZone", ownerRecordName: "_defaultOwner"))))
        #expect(try await cloud.publicPage(since: next.syncToken).names == [])
        #expect(try await cloud.publicPage().names == ["b", "a", "d"], "a new client hears of no deletion")
        #expect(try await cloud.publicPage(since: first.syncToken, types: ["Book"]).names == ["-c"])
        #expect(try await cloud.publicPage(since: first.syncToken, types: ["Note"]).names == ["a", "d"])
    }

    @Test("Fields are limited to those that are wanted")
    func desiredKeys() async throws {
        let cloud = try await TestCloud()
        try await cloud.publish([.make(.create, "a", type: "Note", ["x": .integer(1), "y": .integer(2)])])
        let page = try await cloud.service.publicChanges(
            PublicChangesRequest(desiredKeys: ["y"]), in: .public, as: cloud.anonymous)
        guard case .saved(let record)? = page.changes.first else { throw Unexpected(description: "\(page)") }
        #expect(record.fields.map(\.name) == ["y"])
    }

    @Test("A record that has its name again is listed as saved; its deletion is not", arguments: Engine.allCases)
    func recreated(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.publish([.make(.create, "a"), .make(.create, "b")])
        let token = try await cloud.publicPage().syncToken
        try await cloud.publish([.make(.forceDelete, "a")])
        let afterDeletion = try await cloud.publicPage(since: token)
        #expect(afterDeletion.names == ["-a"])
        try await cloud.publish([.make(.create, "a")])
        #expect(try await cloud.publicPage(since: token).names == ["a"])
        #expect(try await cloud.publicPage(since: afterDeletion.syncToken).names == ["a"])
        // The new record has another type: requests for the former type have the deletion.
        try await cloud.publish([.make(.forceDelete, "a")])
        try await cloud.publish([.make(.create, "a", type: "Book")])
        #expect(try await cloud.publicPage(since: token).names == ["a"])
        #expect(Set(try await cloud.publicPage(since: token, types: ["Note"]).names) == ["-a"])
        try await cloud.publish([.make(.forceDelete, "a")])
        #expect(Set(try await cloud.publicPage(since: token).names) == ["-a"])
    }

    @Test("Deletions that follow from others are listed, also those of deferred transactions")
    func cascades() async throws {
        let cloud = try await TestCloud(cascadeWork: CascadeWork(recordsPerStep: 2, targetsPerStep: 2))
        try await cloud.publish([.make(.create, "root")])
        let target = InputValue.scalar(.reference(Reference(recordName: "root", action: .deleteSelf)))
        try await cloud.publish((0..<9).map { .make(.create, "child\($0)", type: "Note", ["root": target]) })
        let token = try await cloud.publicChanges().token
        try await cloud.publish([.make(.forceDelete, "root")])
        let gone = try await cloud.publicChanges(since: token).names
        #expect(Set(gone) == Set(["-root"] + (0..<9).map { "-child\($0)" }))
    }

    @Test("Pages miss nothing while others write", arguments: Engine.allCases)
    func pagesWhileOthersWrite(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.publish((0..<150).map { .make(.create, "r\($0)") })
        var known: Set<String> = []
        var token: String?
        var turn = 0
        while true {
            let page = try await cloud.publicPage(since: token, limit: 10)
            #expect(page.changes.count <= 10)
            for change in page.changes {
                switch change {
                case .saved(let record): known.insert(record.recordName)
                case .deleted(let name, _, _): known.remove(name)
                }
            }
            token = page.syncToken
            guard page.moreComing else { break }
            turn += 1
            guard turn <= 12 else { continue }
            // One that was listed, one that was not yet, one that is new, and one that comes again.
            try await cloud.publish([
                .make(.forceDelete, "r\(turn)"), .make(.forceDelete, "r\(150 - turn)"), .make(.create, "new\(turn)"),
                .make(.forceUpdate, "r\(20 + turn)"),
            ])
            if turn > 1 { try await cloud.publish([.make(.create, "r\(turn - 1)")]) }
        }
        var expected = Set((0..<150).map { "r\($0)" })
        for turn in 1...12 { expected.subtract(["r\(150 - turn)"]) }
        expected.subtract(["r12"])
        expected.formUnion((1...12).map { "new\($0)" })
        #expect(turn >= 12 && known == expected, "\(known.symmetricDifference(expected))")
    }

    @Test("Only the public database has it, and its limits are checked")
    func refusals() async throws {
        let cloud = try await TestCloud()
        for scope in [DatabaseScope.private, .shared] {
            let error = await #expect(throws: CloudError.self) {
                try await cloud.publicPage(in: scope, as: cloud.user())
            }
            #expect(error?.code == .badRequest && error?.extensionCode == nil)
        }
        let tooFew = await #expect(throws: CloudError.self) { try await cloud.publicPage(limit: 0) }
        #expect(tooFew?.reason.contains("resultsLimit") == true)
        let names = Array(repeating: "t", count: ModelLimits.desiredNames + 1)
        let tooMany = await #expect(throws: CloudError.self) { try await cloud.publicPage(types: names) }
        #expect(tooMany?.reason.contains("desiredRecordTypes") == true)
        // The other requests answer as before.
        let old = await #expect(throws: CloudError.self) {
            try await cloud.service.recordChanges(
                ZoneChangesRequest(zoneID: .default), in: .public, as: cloud.user())
        }
        #expect(old?.code == .badRequest)
    }
}
