import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What single operations on what is shared come to.
@Suite("Rules of sharing")
struct ShareRuleTests {
    private func share(_ root: String) -> RecordOperation {
        var input = ShareInput()
        input.forRecord = ShareInput.Root(recordName: root)
        return RecordOperation(
            .create, RecordInput(recordName: "Share-\(root)", recordType: SystemRecordType.share, share: Boxed(input)))
    }

    @Test(
        "A record that would be in two shares is that record's error; the others are saved, unless all belong together")
    func alreadyShared() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        for root in ["a", "b"] { try await cloud.share(root, in: "Z") }
        _ = try await cloud.modify([.make(.create, "above"), cloud.child("below", of: "a")], zone: "Z")
        _ = try await cloud.modify([cloud.child("a", of: "above")], zone: "Z")
        // A root below another root, what holds a root below another, and what may be.
        let operations = [
            cloud.child("a", of: "b"), cloud.child("above", of: "b"), cloud.child("fine", of: "b"),
            .make(.create, "other"),
        ]
        let apart = try await cloud.modify(operations, zone: "Z", atomic: false)
        #expect(apart.map { $0.error?.extensionCode } == [.alreadyShared, .alreadyShared, nil, nil], "\(apart)")
        #expect(apart.map { $0.error?.code } == [.badRequest, .badRequest, nil, nil])
        #expect(
            try await cloud.lookup(["a", "above"], zone: "Z").map { $0.saved?.parent?.recordName } == ["above", nil])
        #expect(try await cloud.lookup(["fine"], zone: "Z")[0].saved?.parent?.recordName == "b")
        let together = try await cloud.modify([cloud.child("a", of: "b"), .make(.create, "third")], zone: "Z")
        #expect(together.map { $0.error?.extensionCode } == [.alreadyShared, nil], "\(together)")
        #expect(together.map { $0.error?.code } == [.badRequest, .atomicError])
        #expect(try await cloud.lookup(["third"], zone: "Z")[0].error?.code == .notFound)
    }

    @Test("A share above or below another is refused by itself")
    func nestedShare() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "top"), .make(.create, "free")], zone: "Z")
        _ = try await cloud.modify([cloud.child("middle", of: "top")], zone: "Z")
        try await cloud.share("middle", in: "Z")
        let results = try await cloud.modify(
            [.make(.forceUpdate, "top"), share("top"), .make(.forceUpdate, "free"), share("free")], zone: "Z",
            atomic: false)
        #expect(results.map { $0.error?.extensionCode } == [nil, .alreadyShared, nil, nil], "\(results)")
        let found = try await cloud.lookup(["top", "free"], zone: "Z")
        #expect(found.map { $0.saved?.share?.recordName } == [nil, "Share-free"])
    }

    @Test("What is above a shared root is nothing to participants: not to be read, guessed, set or taken away")
    func aboveTheRoot() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "hidden"), .make(.create, "stranger")], zone: "Z")
        try await cloud.share("root", in: "Z", with: [bob])
        _ = try await cloud.modify([cloud.child("root", of: "hidden")], zone: "Z")
        func save(_ operation: RecordOperation) async throws -> RecordResult {
            let results = try await cloud.service.modifyRecords(
                ModifyRecordsRequest(operations: [operation], zoneID: cloud.place("Z")), in: .shared, as: bob)
            return try #require(results.first)
        }
        let stale = try await save(.make(.update, "root", tag: "?"))
        #expect(stale.error?.serverRecord?.value.recordName == "root")
        #expect(stale.error?.serverRecord?.value.parent == nil)
        for parent in ["hidden", "stranger", "never"] {
            #expect(try await save(cloud.child("root", of: parent)).error?.code == .accessDenied, "\(parent)")
        }
        // Whoever sees no parent sends none.
        #expect(try await save(cloud.child("root", of: nil)).saved?.parent == nil)
        #expect(try await cloud.lookup(["root"], zone: "Z")[0].saved?.parent?.recordName == "hidden")
        var query = QueryRecordsRequest(
            query: Query(
                recordType: "Note",
                filters: [
                    Filter(
                        .equals, .system(.parent),
                        FieldInput(.scalar(.reference(Reference(recordName: "hidden", action: .validate)))))
                ]))
        query.zoneID = cloud.place("Z")
        #expect(try await cloud.service.queryRecords(query, in: .shared, as: bob).records == [])
        query.zoneID = ZoneID(zoneName: "Z")
        #expect(try await cloud.service.queryRecords(query, in: .private, as: cloud.user()).records.count == 1)
    }

    @Test("Threat 45: what a removed participant did away from the network is denied when it arrives, and says why")
    func threat45() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z", with: [bob])
        func save(_ operation: RecordOperation, _ requestID: String) async throws -> RecordResult {
            var request = ModifyRecordsRequest(operations: [operation], zoneID: cloud.place("Z"))
            request.requestID = requestID
            return try #require(try await cloud.service.modifyRecords(request, in: .shared, as: bob).first)
        }
        let before = try #require(try await save(cloud.child("child", of: "root"), "first").saved)
        _ = try await cloud.update(share.recordName, in: "Z") { $0.participants = [] }
        let late: [(RecordOperation, String)] = [
            (.make(.update, "child", tag: before.recordChangeTag), "second"),
            (.make(.delete, "child", tag: before.recordChangeTag), "third"),
            (cloud.child("new", of: "root"), "fourth"),
            // Nor is what was done before told again.
            (cloud.child("child", of: "root"), "first"),
        ]
        for (operation, requestID) in late {
            let error = try await save(operation, requestID).error
            #expect(
                error?.code == .zoneNotFound && error?.reason == "Zone 'Z' does not exist",
                "\(String(describing: error))")
            #expect(error?.serverRecord == nil)
        }
        #expect(try await cloud.lookup(["child"], zone: "Z")[0].saved?.recordChangeTag == before.recordChangeTag)
        #expect(try await cloud.lookup(["new"], zone: "Z")[0].error?.code == .notFound)
    }

    @Test("A deletion that is held by what a participant does not see names none of it")
    func heldByHidden() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        try await cloud.share("root", in: "Z", with: [bob])
        _ = try await cloud.modify([cloud.child("child", of: "root")], zone: "Z")
        func refer(_ name: String, to target: String, _ action: Reference.Action) -> RecordOperation {
            .make(
                .create, name, type: "Diary",
                ["to": .scalar(.reference(Reference(recordName: target, action: action)))])
        }
        _ = try await cloud.modify([refer("victim", to: "child", .deleteSelf)], zone: "Z")
        _ = try await cloud.modify([refer("holder", to: "victim", .validate)], zone: "Z")
        let results = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(operations: [.make(.forceDelete, "child", type: nil)], zoneID: cloud.place("Z")),
            in: .shared, as: bob)
        let error = try #require(results.first?.error)
        #expect(error.code == .validatingReferenceError)
        #expect(!error.reason.contains("victim") && !error.reason.contains("holder"), "\(error)")
        // The owner is told.
        let own = try await cloud.modify([.make(.forceDelete, "child", type: nil)], zone: "Z")[0].error
        #expect(own?.reason.contains("victim") == true && own?.reason.contains("holder") == true)
    }
}
