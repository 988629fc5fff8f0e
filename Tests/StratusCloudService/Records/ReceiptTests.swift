import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Requests that are sent again because their answer was lost.
@Suite struct ReceiptTests {
    private func send(
        _ cloud: TestCloud, _ operations: [RecordOperation], _ id: String? = "request-1", zone: String? = nil,
        atomic: Bool? = nil, as caller: Caller? = nil
    ) async throws -> [RecordResult] {
        try await cloud.service.modifyRecords(
            ModifyRecordsRequest(
                operations: operations, zoneID: zone.map { ZoneID(zoneName: $0) }, atomic: atomic, requestID: id),
            in: .private, as: caller ?? cloud.user())
    }

    private func value(_ cloud: TestCloud, _ name: String) async throws -> FieldValue? {
        try await cloud.lookup([name])[0].saved?.fields["a"]?.value
    }

    @Test(arguments: Engine.allCases)
    func whatWasDoneIsNotDoneAgain(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let create = [RecordOperation.make(.create, "r", ["a": .integer(1)])]
        let first = try #require(try await send(cloud, create)[0].saved)
        // Somebody else goes on from there.
        _ = try await cloud.modify([.make(.update, "r", tag: first.recordChangeTag, ["a": .integer(2)])])
        let again = try #require(try await send(cloud, create)[0].saved)
        #expect(again.recordChangeTag == first.recordChangeTag && again.modified == first.modified)
        #expect(again.created == first.created && again.recordType == "Note")
        #expect(try await value(cloud, "r") == .scalar(.int64(2)))
        // Under another name it is another request.
        #expect(try await send(cloud, create, "request-2")[0].error?.code == .exists)
        #expect(try await send(cloud, create, nil)[0].error?.code == .exists)
    }

    @Test(arguments: Engine.allCases)
    func forcedSavesAndDeletionsToo(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        _ = try await cloud.modify([.make(.create, "old", ["a": .integer(0)])])
        let work = [
            RecordOperation.make(.forceUpdate, "r", ["a": .integer(1)]), .make(.forceDelete, "old", type: nil),
        ]
        _ = try await send(cloud, work)
        _ = try await cloud.modify([.make(.forceUpdate, "r", ["a": .integer(5)]), .make(.create, "old")])
        let again = try await send(cloud, work)
        #expect(again[0].saved != nil && again[1].isDeleted)
        #expect(try await value(cloud, "r") == .scalar(.int64(5)))
        #expect(try await cloud.lookup(["old"])[0].saved != nil, "the new one is not deleted")
    }

    @Test("A zone that was made since is not deleted by a request that comes again", arguments: Engine.allCases)
    func zones(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        func send(
            _ kind: ZoneOperation.Kind, _ name: String, _ id: String?, as caller: Caller? = nil
        ) async throws -> ZoneResult {
            let operation = ZoneOperation(kind, ZoneID(zoneName: name), requestID: id)
            let results = try await cloud.service.modifyZones([operation], in: .private, as: caller ?? cloud.user())
            return try #require(results.first)
        }
        try await cloud.makeZone("Z")
        guard case .deleted = try await send(.delete, "Z", "d") else { throw Unexpected(description: "not deleted") }
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "r")], zone: "Z")
        guard case .deleted = try await send(.delete, "Z", "d") else { throw Unexpected(description: "not as then") }
        #expect(try await cloud.lookup(["r"], zone: "Z")[0].saved != nil)
        guard case .deleted = try await send(.delete, "Z", "other") else { throw Unexpected(description: "kept") }
        // What was refused is tried anew.
        guard case .failed = try await send(.delete, "Z", "again") else { throw Unexpected(description: "deleted") }
        try await cloud.makeZone("Z")
        guard case .deleted = try await send(.delete, "Z", "again") else { throw Unexpected(description: "kept") }

        guard case .zone = try await send(.create, "Z", "c") else { throw Unexpected(description: "not made") }
        guard case .zone = try await send(.create, "Z", "c") else { throw Unexpected(description: "not there") }
        guard case .deleted = try await send(.delete, "Z", nil) else { throw Unexpected(description: "kept") }
        guard case .failed(_, let gone) = try await send(.create, "Z", "c") else {
            throw Unexpected(description: "made again")
        }
        #expect(gone.code == .zoneNotFound)
        for id in ["", " ", String(repeating: "x", count: ModelLimits.requestIDLength + 1)] {
            guard case .failed(_, let error) = try await send(.create, "Y", id) else {
                throw Unexpected(description: "made")
            }
            #expect(error.code == .badRequest)
        }
    }

    @Test("A subscription that was made since is not deleted by a request that comes again", arguments: Engine.allCases)
    func subscriptions(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        func delete(
            _ id: String?, in scope: DatabaseScope = .private, as user: Character = "a"
        ) async throws -> [SubscriptionResult] {
            try await cloud.service.modifySubscriptions(
                ["s", "t"].map { .delete(subscriptionID: $0, requestID: id) }, in: scope, as: cloud.user(user))
        }
        func subscribe(_ name: String, in scope: DatabaseScope = .private) async throws {
            let result = try await cloud.subscribe(name, .database(recordType: "T\(name)"), in: scope)
            #expect(result.subscription != nil)
        }
        func names() async throws -> [String] {
            try await cloud.service.listSubscriptions(in: .private, as: cloud.user()).map(\.subscriptionID)
        }
        let done = SubscriptionResult.deleted(subscriptionID: "s")
        try await subscribe("s")
        try await subscribe("s", in: .shared)
        let first = try await delete("d")
        #expect(first[0] == done && first[1].error?.code == .notFound)
        try await subscribe("s")
        try await subscribe("t")
        let second = try await delete("d")
        #expect(second[0] == done, "as it was then")
        #expect(second[1] == .deleted(subscriptionID: "t"), "what was refused is tried anew")
        #expect(try await names() == ["s"])
        #expect(try await delete("d", in: .shared)[0] == done, "that is another database")
        #expect(try await delete("d", as: "b")[0].error?.code == .notFound, "and that another user")
        #expect(try await delete("other")[0] == done)
        #expect(try await names() == [])
        for id in ["", " ", String(repeating: "x", count: ModelLimits.requestIDLength + 1)] {
            #expect(try await delete(id)[0].error?.code == .badRequest)
        }
        #expect(try await delete(nil)[0].error?.code == .notFound)
    }

    @Test func afterARestart() async throws {
        let cloud = try await TestCloud()
        let create = [RecordOperation.make(.create, "r", ["a": .integer(1)])]
        let first = try await send(cloud, create)[0].saved
        let restarted = try await TestCloud(restarting: cloud)
        #expect(try await send(restarted, create)[0].saved?.recordChangeTag == first?.recordChangeTag)
    }

    @Test func whatWasRefusedIsTriedAgain() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([.make(.create, "taken")])
        let work = [
            RecordOperation.make(.create, "new", ["a": .integer(1)]), .make(.create, "taken", ["a": .integer(1)]),
        ]
        let first = try await send(cloud, work)
        #expect(first[0].saved != nil && first[1].error?.code == .exists)
        _ = try await cloud.modify([.make(.forceDelete, "taken", type: nil)])
        let second = try await send(cloud, work)
        #expect(second[0].saved?.recordChangeTag == first[0].saved?.recordChangeTag)
        #expect(second[1].saved != nil)
    }

    @Test func anAtomicBatchThatFailedLeavesNoReceipt() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "taken")], zone: "Z")
        let work = [RecordOperation.make(.create, "new"), .make(.create, "taken")]
        #expect(try await send(cloud, work, zone: "Z").allSatisfy { $0.error != nil })
        _ = try await cloud.modify([.make(.forceDelete, "taken", type: nil)], zone: "Z")
        #expect(try await send(cloud, work, zone: "Z").allSatisfy { $0.saved != nil })
    }

    @Test func namesAreEachUsersOwn() async throws {
        let cloud = try await TestCloud()
        func send(_ user: Character) async throws -> RecordResult {
            try await cloud.service.modifyRecords(
                ModifyRecordsRequest(operations: [.make(.create, "r-\(user)")], requestID: "same"), in: .public,
                as: cloud.user(user))[0]
        }
        #expect(try await send("a").saved != nil)
        #expect(try await send("b").saved != nil)
    }

    @Test func receiptsAreKeptForEightDays() async throws {
        let cloud = try await TestCloud()
        let create = [RecordOperation.make(.create, "r")]
        _ = try await send(cloud, create)
        cloud.clock.withLock { $0 += ServiceLimits.receiptLifetime }
        _ = try await send(cloud, [.make(.create, "x")], "request-2")
        #expect(try await send(cloud, create)[0].saved != nil)
        cloud.clock.withLock { $0 += 1 }
        _ = try await send(cloud, [.make(.create, "y")], "request-3")
        #expect(try await send(cloud, create)[0].error?.code == .exists)
    }

    @Test func namesHaveALength() async throws {
        let cloud = try await TestCloud()
        let longest = String(repeating: "a", count: ModelLimits.requestIDLength)
        #expect(try await send(cloud, [.make(.create, "r")], longest)[0].saved != nil)
        for bad in [longest + "a", "", "a b", "ä"] {
            await #expect(throws: CloudError.self) { try await send(cloud, [.make(.create, "s")], bad) }
        }
        await #expect(throws: CloudError.self) { try await send(cloud, [.make(.create, nil)]) }
    }
}
