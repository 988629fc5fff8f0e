import StratusTestSupport
import Testing

/// References between records: what deletions take along, what they are refused for, and hierarchies.
@Suite("References")
struct ReferenceTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("References")
        database = tenant.privateDatabase
    }

    /// A change that saves a record, referring to others with an action, and below a parent.
    private func link(
        _ name: String, _ action: String = "NONE", to targets: [String] = [], parent: String? = nil
    ) -> JSON {
        let references = targets.map {
            JSON(dictionaryLiteral: ("recordName", .string($0)), ("action", .string(action)))
        }
        var change = Change.forceReplace(
            "Linked", name, ["to": ["value": .array(references), "type": "REFERENCE_LIST"], "n": ["value": 1]])
        change["record"]["parent"] = parent.map { ["recordName": .string($0)] } ?? .null
        return change
    }

    private func names(_ count: Int) -> [String] { (0..<count).map { _ in Unique.name("r") } }

    private func expectPresent(
        _ names: [String], zone: String?, at location: SourceLocation = #_sourceLocation
    ) async throws {
        for item in try await database.lookup(names, zone: zone).records {
            #expect(item["recordChangeTag"].isPresent, "\(item)", sourceLocation: location)
        }
    }

    private func expectGone(
        _ names: [String], zone: String?, at location: SourceLocation = #_sourceLocation
    ) async throws {
        for name in names { try await expectAbsent(name, in: database, zone: zone, at: location) }
    }

    @Test("Case 46: a parent cannot be deleted before its child", arguments: [true, false])
    func case46(atomic: Bool) async throws {
        let zone = try await database.makeZone()
        let names = names(2)
        expectSaved(try await database.modify([link(names[0]), link(names[1], parent: names[0])], zone: zone))
        let answer = try await database.modify([Change.forceDelete(names[0])], zone: zone, atomic: atomic)
        #expect(answer.status == 200, "\(answer)")
        expectFailed(answer.records[0], "VALIDATING_REFERENCE_ERROR", names[0], names[1])
        try await expectPresent(names, zone: zone)
        #expect(try await database.find(names[1], zone: zone)["parent"]["recordName"].string == names[0])
    }

    @Test("Case 47: parent and child are deleted in one batch, in either order", arguments: [false, true])
    func case47(childFirst: Bool) async throws {
        let zone = try await database.makeZone()
        let names = names(2)
        expectSaved(try await database.modify([link(names[0]), link(names[1], parent: names[0])], zone: zone))
        let order = childFirst ? Array(names.reversed()) : names
        let answer = try await database.modify(order.map(Change.forceDelete), zone: zone)
        for (item, name) in zip(answer.records, order) { expectDeleted(item, name) }
        try await expectGone(names, zone: zone)
    }

    @Test("Case 48: what refers with DELETE_SELF is deleted too, transitively", arguments: [true, false])
    func case48(custom: Bool) async throws {
        let zone = custom ? try await database.makeZone() : nil
        let names = names(6)
        let saved = expectSaved(
            try await database.modify(
                [
                    link(names[0]), link(names[1], "DELETE_SELF", to: [names[0]]),
                    link(names[2], "DELETE_SELF", to: [names[5], names[1]]), link(names[3], "NONE", to: [names[0]]),
                    link(names[4], "DELETE_SELF", to: [names[3]]), link(names[5]),
                ], zone: zone))
        let answer = try await database.modify([Change.delete(saved[0])], zone: zone)
        #expect(answer.records.count == 1, "only what was asked for is answered: \(answer)")
        expectDeleted(answer.records[0], names[0])
        try await expectGone(Array(names[0...2]), zone: zone)
        try await expectPresent(Array(names[3...5]), zone: zone)
        #expect(
            try await database.find(names[3], zone: zone).value("to")[0]["recordName"].string == names[0],
            "a reference with NONE dangles")
        let found = try await database.queryAll(
            "Linked", filters: [Condition.filter("n", "EQUALS", 1)], zone: zone
        ).map(\.name)
        #expect(Set(found).intersection(names) == Set(names[3...5]), "the indexes know it")
    }

    @Test("Case 48: circles of DELETE_SELF go as one, a record that refers to itself alone")
    func case48circle() async throws {
        let zone = try await database.makeZone()
        let names = names(4)
        let circle = (0..<3).map { link(names[$0], "DELETE_SELF", to: [names[($0 + 1) % 3]]) }
        expectSaved(
            try await database.modify(circle + [link(names[3], "DELETE_SELF", to: [names[3]])], zone: zone), count: 4)
        expectDeleted(try await database.modify([Change.forceDelete(names[1])], zone: zone).records[0], names[1])
        try await expectGone(Array(names.prefix(3)), zone: zone)
        try await expectPresent([names[3]], zone: zone)
        expectDeleted(try await database.modify([Change.forceDelete(names[3])], zone: zone).records[0], names[3])
    }

    @Test(
        "Case 48: a batch that takes the child away and deletes the target keeps the child", arguments: [true, false])
    func case48moved(deletionFirst: Bool) async throws {
        let zone = try await database.makeZone()
        let names = names(3)
        expectSaved(
            try await database.modify(
                [link(names[0]), link(names[1]), link(names[2], "DELETE_SELF", to: [names[0]], parent: names[0])],
                zone: zone))
        let batch = [
            Change.forceDelete(names[0]), link(names[2], "DELETE_SELF", to: [names[1]], parent: names[1]),
        ]
        let answer = try await database.modify(deletionFirst ? batch : batch.reversed(), zone: zone)
        #expect(answer.records.allSatisfy { !$0["serverErrorCode"].isPresent }, "\(answer)")
        try await expectGone([names[0]], zone: zone)
        try await expectPresent([names[1], names[2]], zone: zone)
    }

    @Test("Case 49: the target of VALIDATE must be there, and stays", arguments: [true, false])
    func case49(custom: Bool) async throws {
        let zone = custom ? try await database.makeZone() : nil
        let names = names(2)
        let missing = try await database.modify([link(names[1], "VALIDATE", to: [names[0]])], zone: zone)
        #expect(missing.status == 200, "\(missing)")
        expectFailed(missing.records[0], "VALIDATING_REFERENCE_ERROR", names[0], "to")
        try await expectGone(names, zone: zone)
        expectSaved(
            try await database.modify([link(names[1], "VALIDATE", to: [names[0]]), link(names[0])], zone: zone),
            count: 2)
        let held = try await database.modify([Change.forceDelete(names[0])], zone: zone)
        expectFailed(held.records[0], "VALIDATING_REFERENCE_ERROR", names[0], "VALIDATE")
        try await expectPresent(names, zone: zone)
        let both = try await database.modify(names.map(Change.forceDelete), zone: zone)
        for (item, name) in zip(both.records, names) { expectDeleted(item, name) }
    }

    @Test("Case 49: a deletion is refused for what it would take along, and nothing is done")
    func case49deep() async throws {
        let zone = try await database.makeZone()
        let names = names(3)
        expectSaved(
            try await database.modify(
                [
                    link(names[0]), link(names[1], "DELETE_SELF", to: [names[0]]),
                    link(names[2], "VALIDATE", to: [names[1]]),
                ], zone: zone))
        let answer = try await database.modify([Change.forceDelete(names[0])], zone: zone)
        expectFailed(answer.records[0], "VALIDATING_REFERENCE_ERROR", names[0], names[1])
        try await expectPresent(names, zone: zone)
    }

    @Test("Case 50: a parent that is neither there nor in the batch is refused; in an atomic batch with all of it")
    func case50() async throws {
        let zone = try await database.makeZone()
        let names = names(3)
        let batch = [link(names[0], parent: Unique.name("none")), link(names[1]), link(names[2], parent: names[0])]
        let atomic = try await database.modify(batch, zone: zone)
        #expect(
            atomic.records.map { $0["serverErrorCode"].string } == [
                "VALIDATING_REFERENCE_ERROR", "ATOMIC_ERROR", "VALIDATING_REFERENCE_ERROR",
            ], "\(atomic)")
        try await expectGone(names, zone: zone)
        let single = try await database.modify(batch, zone: zone, atomic: false)
        expectFailed(single.records[0], "VALIDATING_REFERENCE_ERROR", "parent")
        #expect(single.records[1]["recordChangeTag"].isPresent, "\(single)")
        expectFailed(single.records[2], "VALIDATING_REFERENCE_ERROR", names[0])
        try await expectGone([names[0], names[2]], zone: zone)
        try await expectPresent([names[1]], zone: zone)
    }

    @Test("Case 51: child and parent are saved in one batch, in either order", arguments: [true, false])
    func case51(childFirst: Bool) async throws {
        let zone = try await database.makeZone()
        let names = names(3)
        let batch = [link(names[0], parent: names[1]), link(names[1], parent: names[2]), link(names[2])]
        expectSaved(try await database.modify(childFirst ? batch : batch.reversed(), zone: zone), count: 3)
        #expect(try await database.find(names[0], zone: zone)["parent"]["recordName"].string == names[1])
    }

    @Test("Case 52: saving a child leaves its parent as it is")
    func case52() async throws {
        let zone = try await database.makeZone()
        let names = names(2)
        let parent = try await database.save(link(names[0]), zone: zone)
        try await database.save(link(names[1], parent: names[0]), zone: zone)
        try await expectUnchanged(parent, in: database, zone: zone)
        try await database.save(Change.update(parent, Fields.untyped(["n": 2])), zone: zone)
    }

    @Test("Case 53: an item is moved to a list that another device has deleted")
    func case53() async throws {
        let zone = try await database.makeZone()
        let names = names(3)
        expectSaved(
            try await database.modify([link(names[0]), link(names[1]), link(names[2], parent: names[0])], zone: zone))
        let item = try await database.find(names[2], zone: zone)
        _ = try await database.modify([Change.forceDelete(names[1])], zone: zone)
        var move = Change.update(item, Fields.untyped(["n": 5]))
        move["record"]["parent"] = ["recordName": .string(names[1])]
        let answer = try await database.modify([move], zone: zone)
        expectFailed(answer.records[0], "VALIDATING_REFERENCE_ERROR", names[1])
        try await expectUnchanged(item, in: database, zone: zone)
    }

    @Test(
        "Case 54, threat 36: 750 records refer to one with DELETE_SELF, the 751st is refused", arguments: [true, false])
    func case54(custom: Bool) async throws {
        let zone = custom ? try await database.makeZone() : nil
        let target = Unique.name("target")
        try await database.save(link(target), zone: zone)
        let names = names(751)
        for start in stride(from: 0, to: 750, by: 150) {
            let batch = names[start..<start + 150].map { link($0, "DELETE_SELF", to: [target]) }
            expectSaved(try await database.modify(Array(batch), zone: zone), count: 150)
        }
        let over = try await database.modify([link(names[750], "DELETE_SELF", to: [target])], zone: zone)
        expectFailed(over.records[0], "BAD_REQUEST", "750", target)
        try await expectGone([names[750]], zone: zone)
        // Other references to it are not limited, and one that goes makes room.
        expectSaved(
            try await database.modify(
                [link(names[0], "NONE", to: [target]), link(names[750], "DELETE_SELF", to: [target])], zone: zone),
            count: 2)
        expectDeleted(try await database.modify([Change.forceDelete(target)], zone: zone).records[0], target)
        #expect(try await database.queryAll("Linked", zone: zone).map(\.name).filter(names.contains) == [names[0]])
    }

    @Test("Case 55, threat 8: references and parents stay in their zone")
    func case55() async throws {
        let (zone, other) = (try await database.makeZone(), try await database.makeZone())
        let target = Unique.name("r")
        for zone in [zone, other] { try await database.save(link(target), zone: zone) }
        let bob = JSON.string(tenant.bob.userRecordName)
        let elsewhere: [JSON] = [
            ["zoneName": .string(other)], ["zoneName": "_defaultZone"],
            ["zoneName": .string(zone), "ownerRecordName": bob],
        ]
        for zoneID in elsewhere {
            for action in ["NONE", "DELETE_SELF", "VALIDATE"] {
                let reference: JSON = ["recordName": .string(target), "zoneID": zoneID, "action": .string(action)]
                let name = Unique.name("r")
                var child = link(name)
                child["record"]["parent"] = reference
                let changes = [
                    Change.create("Linked", name, ["one": Fields.typed("REFERENCE", reference)]),
                    Change.create("Linked", name, ["to": Fields.typed("REFERENCE_LIST", [reference])]), child,
                ]
                for change in changes {
                    let answer = try await database.modify([change], zone: zone)
                    expectFailed(answer.records.first ?? .absent, "BAD_REQUEST", target)
                }
                try await expectAbsent(name, in: database, zone: zone)
            }
        }
        // Naming the own zone is fine.
        let here: JSON = [
            "recordName": .string(target), "action": "VALIDATE",
            "zoneID": ["zoneName": .string(zone), "ownerRecordName": .string(tenant.alice.userRecordName)],
        ]
        try await database.save(
            Change.create("Linked", Unique.name("r"), ["one": Fields.typed("REFERENCE", here)]), zone: zone)
    }

    @Test("Parents make no circles")
    func circles() async throws {
        let zone = try await database.makeZone()
        let names = names(3)
        let itself = try await database.modify([link(names[0], parent: names[0])], zone: zone)
        expectFailed(itself.records[0], "VALIDATING_REFERENCE_ERROR", "ancestor")
        expectSaved(
            try await database.modify(
                [link(names[0]), link(names[1], parent: names[0]), link(names[2], parent: names[1])], zone: zone))
        let circle = try await database.modify([link(names[0], parent: names[2])], zone: zone)
        expectFailed(circle.records[0], "VALIDATING_REFERENCE_ERROR", "ancestor")
        #expect(try await database.find(names[0], zone: zone)["parent"] == .absent)
        expectDeleted(
            try await database.modify(names.map(Change.forceDelete), zone: zone).records[0], names[0])
    }

    @Test("A child whose reference to its parent is DELETE_SELF goes with it")
    func childGoes() async throws {
        let zone = try await database.makeZone()
        let names = names(2)
        expectSaved(
            try await database.modify(
                [link(names[0]), link(names[1], "DELETE_SELF", to: [names[0]], parent: names[0])], zone: zone))
        expectDeleted(try await database.modify([Change.forceDelete(names[0])], zone: zone).records[0], names[0])
        try await expectGone(names, zone: zone)
    }

    @Test("A reference with DELETE_SELF may come before its target")
    func dangling() async throws {
        let zone = try await database.makeZone()
        let names = names(2)
        try await database.save(link(names[1], "DELETE_SELF", to: [names[0]]), zone: zone)
        try await database.save(link(names[0]), zone: zone)
        expectDeleted(try await database.modify([Change.forceDelete(names[0])], zone: zone).records[0], names[0])
        try await expectGone(names, zone: zone)
    }

    @Test("In the public database a record goes with another's, because its own author said so")
    func publicCascade() async throws {
        let (alices, bobs) = (Unique.name("r"), Unique.name("r"))
        try await tenant.publicDatabase.save(link(alices))
        try await tenant.bobsPublicDatabase.save(link(bobs, "DELETE_SELF", to: [alices]))
        let refused = try await tenant.bobsPublicDatabase.modify([Change.forceDelete(alices)])
        expectFailed(refused.records[0], "ACCESS_DENIED")
        expectDeleted(try await tenant.publicDatabase.modify([Change.forceDelete(alices)]).records[0], alices)
        try await expectAbsent(bobs, in: tenant.publicDatabase)
    }

    @Test("Threat 40: a chain of 2,500 goes with its first record")
    func threat40() async throws {
        let zone = try await database.makeZone()
        let names = (0..<2_500).map { "chain-\($0)" }
        for start in stride(from: 0, to: names.count, by: 100) {
            let batch = (start..<start + 100).map { link(names[$0], "DELETE_SELF", to: $0 == 0 ? [] : [names[$0 - 1]]) }
            expectSaved(try await database.modify(batch, zone: zone), count: 100)
        }
        expectDeleted(try await database.modify([Change.forceDelete(names[0])], zone: zone).records[0], names[0])
        #expect(try await database.queryAll("Linked", zone: zone) == [])
    }
}
