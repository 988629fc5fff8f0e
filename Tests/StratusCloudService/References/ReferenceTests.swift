import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct ReferenceTests {
    private func cloud(_ engine: Engine = .memory) async throws -> TestCloud {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        return cloud
    }

    @Test(arguments: Engine.allCases)
    func aDeletionTakesAlongWhatRefersToIt(engine: Engine) async throws {
        let cloud = try await cloud(engine)
        let names = ["a", "b", "c", "d", "e", "f"]
        for zone in ["Z", nil] {
            _ = try await cloud.modify(
                [
                    .link("a"), .link("b", to: ["a"]), .link("c", to: ["b", "e"]), .link("d", .none, to: ["a"]),
                    .link("e"), .link("f", to: ["e"]),
                ], zone: zone)
            let results = try await cloud.modify([.remove("a")], zone: zone)
            #expect(results.count == 1 && results[0].isDeleted)
            #expect(try await cloud.present(names, zone: zone) == ["d", "e", "f"])
            try await cloud.expectSoundReferences(zone: zone, "\(zone ?? "default")")
        }
    }

    @Test(arguments: Engine.allCases)
    func circlesOfDeletionsGoAsOne(engine: Engine) async throws {
        let cloud = try await cloud(engine)
        _ = try await cloud.modify(
            [.link("a", to: ["c"]), .link("b", to: ["a"]), .link("c", to: ["b"]), .link("self", to: ["self"])],
            zone: "Z")
        #expect(try await cloud.codes([.remove("b"), .remove("self")]) == [nil, nil])
        #expect(try await cloud.present(["a", "b", "c", "self"]).isEmpty)
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test func aReferenceThatWasTakenAwayDeletesNothing() async throws {
        let cloud = try await cloud()
        _ = try await cloud.modify([.link("a"), .link("b", to: ["a"]), .link("c", to: ["a"])], zone: "Z")
        _ = try await cloud.modify([.link("b", .none, to: ["a"])], zone: "Z")
        // In one batch, and in either order.
        #expect(try await cloud.codes([.remove("a"), .link("c", to: ["b"])]) == [nil, nil])
        #expect(try await cloud.present(["a", "b", "c"]) == ["b", "c"])
    }

    @Test func whatABatchSavesGoesWithWhatItDeletes() async throws {
        let cloud = try await cloud()
        _ = try await cloud.modify([.link("a")], zone: "Z")
        let results = try await cloud.modify([.remove("a"), .link("b", to: ["a"])], zone: "Z")
        #expect(results.map { $0.error } == [nil, nil])
        #expect(try await cloud.present(["a", "b"]).isEmpty, "saves come first, then deletions")
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test func aTargetThatNeverWasMayBeReferredTo() async throws {
        let cloud = try await cloud()
        #expect(try await cloud.codes([.link("b", to: ["a"])]) == [nil])
        #expect(try await cloud.codes([.remove("a")]) == [nil], "nothing is deleted, so nothing goes with it")
        #expect(try await cloud.present(["b"]) == ["b"])
        _ = try await cloud.modify([.link("a")], zone: "Z")
        _ = try await cloud.modify([.remove("a")], zone: "Z")
        #expect(try await cloud.present(["b"]).isEmpty)
    }

    @Test(arguments: Engine.allCases)
    func aValidatedTargetMustBeThereAndStays(engine: Engine) async throws {
        let cloud = try await cloud(engine)
        let refused = try await cloud.modify([.link("b", .validate, to: ["a"])], zone: "Z")
        #expect(refused[0].error?.code == .validatingReferenceError)
        #expect(refused[0].error?.reason.contains("'a', to which field 'to' refers, does not exist") == true)
        #expect(try await cloud.codes([.link("b", .validate, to: ["a"]), .link("a")]) == [nil, nil])
        let held = try await cloud.modify([.remove("a")], zone: "Z")[0].error
        #expect(held?.code == .validatingReferenceError)
        #expect(held?.reason == "record 'a' cannot be deleted: it is referred to with VALIDATE by record 'b'")
        #expect(try await cloud.codes([.remove("a"), .remove("b")]) == [nil, nil])
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test func aParentMustBeThereAndStays() async throws {
        let cloud = try await cloud()
        let refused = try await cloud.modify([.link("c", parent: "p")], zone: "Z")[0].error
        #expect(refused?.code == .validatingReferenceError)
        #expect(refused?.reason == "record 'c': 'p', to which parent refers, does not exist")
        #expect(try await cloud.codes([.link("c", parent: "p"), .link("p")]) == [nil, nil])
        let held = try await cloud.modify([.remove("p")], zone: "Z")[0].error
        #expect(held?.reason == "record 'p' cannot be deleted: it is the parent of record 'c'")
        // The child moves to another parent in the batch that deletes the old one.
        #expect(
            try await cloud.codes([.remove("p"), .link("c", parent: "q"), .link("q")]) == [nil, nil, nil])
        #expect(try await cloud.codes([.remove("q"), .link("c")]) == [nil, nil])
        #expect(try await cloud.present(["p", "q", "c"]) == ["c"])
    }

    @Test func aChildThatGoesWithItsParentDoesNotHoldIt() async throws {
        let cloud = try await cloud()
        _ = try await cloud.modify([.link("p"), .link("c", to: ["p"], parent: "p")], zone: "Z")
        #expect(try await cloud.codes([.remove("p")]) == [nil])
        #expect(try await cloud.present(["p", "c"]).isEmpty)
        var operation = RecordOperation.link("c")
        operation.record.parent = Reference(recordName: "p", action: .deleteSelf)
        operation.record.clearsParent = false
        #expect(try await cloud.codes([.link("p"), operation]) == [nil, nil])
        #expect(try await cloud.codes([.remove("p")]) == [nil])
        #expect(try await cloud.present(["p", "c"]).isEmpty)
    }

    @Test func whatIsHeldDeepDownRefusesTheDeletion() async throws {
        let cloud = try await cloud()
        _ = try await cloud.modify(
            [.link("a"), .link("b", to: ["a"]), .link("c", to: ["b"]), .link("h", .validate, to: ["c"])], zone: "Z")
        let held = try await cloud.modify([.remove("a"), .remove("none")], zone: "Z", atomic: false)
        #expect(
            held[0].error?.reason
                == "record 'a' cannot be deleted: 'c', which would be deleted with it, is referred to with VALIDATE by "
                + "record 'h'")
        #expect(held[1].isDeleted)
        #expect(try await cloud.present(["a", "b", "c", "h"]).count == 4)
        #expect(try await cloud.codes([.remove("h"), .remove("a")]) == [nil, nil])
    }

    @Test func oneRefusalIsAnothers() async throws {
        let cloud = try await cloud()
        // Not atomic: what depends on a refused save is refused, what does not is done.
        let missing = CloudError.Code.validatingReferenceError
        #expect(
            try await cloud.codes(
                [.link("c", parent: "b"), .link("b", parent: "a"), .link("d")], atomic: false)
                == [missing, missing, nil])
        _ = try await cloud.modify([.link("p"), .link("q"), .link("k", parent: "p")], zone: "Z")
        // The move is refused, so the child still holds its parent.
        #expect(
            try await cloud.codes([.remove("p"), .link("k", parent: "nowhere"), .remove("q")], atomic: false)
                == [missing, missing, nil])
        // Atomic: nothing is done.
        #expect(
            try await cloud.codes([.link("x"), .link("y", parent: "nowhere"), .remove("d")])
                == [.atomicError, missing, .atomicError])
        #expect(try await cloud.present(["x", "y", "d", "p", "q", "k"]) == ["d", "p", "k"])
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test func aReferenceRefusedLeavesNoTraceInTheSchema() async throws {
        let cloud = try await cloud()
        _ = try await cloud.modify([.make(.create, "n", ["x": .integer(1)])], zone: "Z")
        let before = try await cloud.service.schemaText(of: cloud.context)
        #expect(
            try await cloud.codes([.link("c", parent: "nowhere")], atomic: false) == [.validatingReferenceError])
        #expect(try await cloud.service.schemaText(of: cloud.context) == before)
    }

    @Test func parentsMakeNoCircles() async throws {
        let cloud = try await cloud()
        let refused = CloudError.Code.validatingReferenceError
        #expect(try await cloud.codes([.link("s", parent: "s")]) == [refused])
        #expect(
            try await cloud.codes([.link("x", parent: "y"), .link("y", parent: "x"), .link("z")], atomic: false)
                == [refused, refused, nil])
        _ = try await cloud.modify([.link("a"), .link("b", parent: "a"), .link("c", parent: "b")], zone: "Z")
        let error = try await cloud.modify([.link("a", parent: "c")], zone: "Z")[0].error
        #expect(error?.code == refused)
        #expect(error?.reason == "record 'a': with 'c' as its parent it would be its own ancestor")
        // Turned over in one batch there is no circle.
        #expect(
            try await cloud.codes([.link("a", parent: "c"), .link("b"), .link("c", parent: "b")]) == [nil, nil, nil])
        #expect(try await cloud.codes([.link("b", parent: "a")]) == [refused])
    }

    @Test func referencesStayInTheirZone() async throws {
        let cloud = try await cloud()
        try await cloud.makeZone("Y")
        _ = try await cloud.modify([.link("t")], zone: "Y")
        for (zone, owner) in [("Y", nil), ("_defaultZone", nil), ("Z", "_" + String(repeating: "b", count: 32))] {
            for action in [Reference.Action.none, .deleteSelf, .validate] {
                let elsewhere = Reference(
                    recordName: "t", zoneID: ZoneID(zoneName: zone, ownerRecordName: owner), action: action)
                var inField = RecordOperation.make(.create, "r", type: "Link")
                inField.record.fields = [("one", FieldInput(Field(.scalar(.reference(elsewhere)))))]
                var inList = RecordOperation.make(.create, "r", type: "Link")
                inList.record.fields = [
                    ("to", FieldInput(Field(.list(of: .reference, elements: [.reference(elsewhere)]))))
                ]
                var asParent = RecordOperation.make(.create, "r", type: "Link")
                asParent.record.parent = elsewhere
                for operation in [inField, inList, asParent] {
                    let error = try await cloud.modify([operation], zone: "Z")[0].error
                    #expect(error?.code == .badRequest)
                    #expect(error?.reason.contains("must be in the zone of the record that refers to it") == true)
                }
            }
        }
        // The own zone may be named.
        var own = RecordOperation.make(.create, "r", type: "Link")
        let here = Reference(
            recordName: "t", zoneID: ZoneID(zoneName: "Z", ownerRecordName: cloud.user().userRecordName))
        own.record.fields = [("one", FieldInput(Field(.scalar(.reference(here)))))]
        #expect(try await cloud.codes([own]) == [nil])
    }

    @Test(arguments: ["", String(repeating: "x", count: 256), "é", "a\u{0}b"])
    func aReferenceNamesARecord(name: String) async throws {
        let cloud = try await cloud()
        let error = try await cloud.modify([.link("r", .none, to: [name])], zone: "Z")[0].error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.hasPrefix("field 'to' in record 'Link': record name") == true)
    }

    @Test func atMost750GoWithOneTarget() async throws {
        let cloud = try await cloud()
        let limit = ReferenceLimits.deleteSelfSources
        _ = try await cloud.modify([.link("t"), .link("other")], zone: "Z")
        let names = (0..<limit).map { "s\($0)" }
        for start in stride(from: 0, to: limit, by: 150) {
            let codes = try await cloud.codes(names[start..<start + 150].map { .link($0, to: ["t"]) })
            #expect(codes.allSatisfy { $0 == nil })
        }
        let error = try await cloud.modify([.link("more", to: ["t"])], zone: "Z")[0].error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("is the target of 750 records with DELETE_SELF, which is the maximum") == true)
        #expect(
            try await cloud.codes([.link("more", .none, to: ["t"]), .link("s0", to: ["t", "other"])]) == [nil, nil])
        // As many as leave may come, in one batch.
        #expect(
            try await cloud.codes(
                [.link("m1", to: ["t"]), .link("m2", to: ["t"]), .remove("s1"), .link("m3", to: ["t"])], atomic: false)
                == [nil, .badRequest, nil, .badRequest])
        #expect(try await cloud.codes([.link("m2", to: ["t"]), .link("s2", to: ["other"])]) == [nil, nil])
        #expect(try await cloud.codes([.remove("t")]) == [nil])
        #expect(try await cloud.present(names) == ["s2"])
        #expect(try await cloud.present(["m1", "m2", "m3", "more"]) == ["more"])
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test func aRecordRefersToSoManyAtMost() async throws {
        let cloud = try await cloud()
        let many = (0..<ReferenceLimits.targetsPerRecord).map { "t\($0)" }
        #expect(try await cloud.codes([.link("r", to: many)]) == [nil])
        let error = try await cloud.modify([.link("r", to: many + ["one"])], zone: "Z")[0].error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("refers to 1001 records") == true)
        #expect(try await cloud.codes([.link("r", .none, to: many + ["one"])]) == [nil])
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test func theWalkUpwardsIsBounded() async throws {
        let cloud = try await cloud()
        let limit = ReferenceLimits.parentChain
        let chain = (0...limit).map { index in
            RecordOperation.link("n\(index)", parent: index == 0 ? nil : "n\(index - 1)")
        }
        for start in stride(from: 0, to: chain.count, by: 200) {
            let codes = try await cloud.codes(Array(chain[start..<min(start + 200, chain.count)]))
            #expect(codes.allSatisfy { $0 == nil })
        }
        _ = try await cloud.modify([.link("m"), .link("child", parent: "m")], zone: "Z")
        #expect(try await cloud.codes([.link("m", parent: "n\(limit - 1)")]) == [nil])
        let error = try await cloud.modify([.link("m", parent: "n\(limit)")], zone: "Z")[0].error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("more than 1000 ancestors") == true)
    }

    @Test func aUsersRecordGoesWithNothing() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.createAccount(email: "ada@example.org", password: "a long password")
        let name = try await cloud.service.userRecordName(email: "ada@example.org", in: cloud.context)
        let ada = Caller(context: cloud.context, principal: .user(name))
        var operation = RecordOperation.make(.forceUpdate, name, type: "Users")
        let reference = Reference(recordName: "t", action: .deleteSelf)
        operation.record.fields = [("to", FieldInput(Field(.scalar(.reference(reference)))))]
        let error = try await cloud.modify([operation], in: .public, as: ada)[0].error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("a user's record cannot be deleted with another") == true)
    }

    /// What one cannot read, one cannot find out the existence of.
    @Test func whatCannotBeReadIsMissing() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.applySchema(
            """
            DEFINE SCHEMA
            RECORD TYPE Secret ( note STRING, GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud" );
            RECORD TYPE Link ( to LIST<REFERENCE>, GRANT READ TO "_world", GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud" );
            """, to: cloud.context)
        #expect(
            try await cloud.modify([.make(.create, "s", type: "Secret")], in: .public, as: cloud.user("a"))[0].error
                == nil)
        let probes = ["s", "absent"].map { RecordOperation.link("r-\($0)", .validate, to: [$0]) }
        let errors = try await cloud.modify(probes, in: .public, as: cloud.user("b")).map(\.error)
        #expect(errors.map { $0?.code } == [.validatingReferenceError, .validatingReferenceError])
        #expect(
            errors[0]?.reason.replacing("'s'", with: "'absent'").replacing("r-s", with: "r-absent") == errors[1]?.reason
        )
        #expect(
            try await cloud.modify([.link("own", .validate, to: ["s"])], in: .public, as: cloud.user("a"))[0].error
                == nil)
        // Who deletes is not told who holds.
        let held = try await cloud.modify([.remove("s")], in: .public, as: cloud.user("a"))[0].error
        #expect(held?.reason == "record 's' cannot be deleted: it is referred to with VALIDATE by another record")
    }

    @Test func anImportBringsChildrenBeforeParents() async throws {
        let cloud = try await cloud()
        let administrator = Caller(
            context: cloud.context, principal: .administrator(actingAs: cloud.user().userRecordName))
        let first = try await cloud.modify(
            [.link("c", .validate, to: ["v"], parent: "p")], zone: "Z", as: administrator)
        #expect(first[0].error == nil)
        _ = try await cloud.modify([.link("p"), .link("v", .validate, to: ["c"])], zone: "Z", as: administrator)
        #expect(try await cloud.codes([.remove("p")]) == [.validatingReferenceError])
        #expect(try await cloud.codes([.link("p", parent: "c")]) == [.validatingReferenceError])
    }
}

/// What change feeds read after a cascade.
@Suite struct CascadeFeedTests {
    @Test(arguments: [1, 1_000])
    func eachDeletedRecordHasATombstoneAtAVersionOfItsOwn(recordsPerStep: Int) async throws {
        let cloud = try await TestCloud(cascadeWork: CascadeWork(recordsPerStep: recordsPerStep))
        try await cloud.makeZone("Z")
        _ = try await cloud.modify(
            [.link("a"), .link("b", to: ["a"]), .link("c", to: ["b"]), .link("d")], zone: "Z")
        func token() async throws -> String? {
            let zones = try await cloud.service.lookupZones([ZoneID(zoneName: "Z")], in: .private, as: cloud.user())
            if case .zone(let zone) = zones[0] { return zone.syncToken }
            return nil
        }
        let before = try await token()
        cloud.clock.withLock { $0 += 5 }
        _ = try await cloud.modify([.remove("a")], zone: "Z")
        #expect(try await token() != before)
        let now = cloud.clock.withLock { $0 }
        try await cloud.store.read(try cloud.home()) { transaction in
            let header = try #require(try ZoneHeader.find("Z", in: transaction))
            var versions: [UInt64] = []
            for name in ["a", "b", "c"] {
                let stored = try #require(try transaction.get(Keyspace.record(zone: header.number, name: name)))
                guard case .deleted(let tombstone) = try NameEntry(stored: stored) else {
                    throw Unexpected(description: name)
                }
                #expect(tombstone.recordType == "Link")
                #expect(tombstone.deleted == now)
                let change = try transaction.get(Keyspace.tombstone(zone: header.number, version: tombstone.version))
                #expect(change?.firstRange(of: Array(name.utf8)) != nil)
                versions.append(tombstone.version)
            }
            #expect(versions == versions.sorted() && Set(versions).count == 3, "targets before what refers to them")
            #expect(header.version == versions.last)
            for (tag, count) in [(Keyspace.Tag.version, 1), (.tombstone, 3)] {
                let range = KeyRange(prefix: Keyspace.prefix(tag, zone: header.number).key)
                #expect(try transaction.entries(in: range, limit: 100).count == count, "each record stands there once")
            }
        }
    }
}
