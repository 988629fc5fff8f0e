import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What people can do to each other's records in a public database by referring to them.
@Suite struct PublicReferenceTests {
    private struct Commons {
        let cloud: TestCloud

        init(_ engine: Engine = .memory, _ work: CascadeWork = CascadeWork()) async throws {
            cloud = try await TestCloud(engine, cascadeWork: work)
        }

        var partition: Partition { Partition.publicDatabase(of: cloud.context) }

        /// Codes of what was refused, nil for what was done.
        func codes(
            _ person: Character, _ operations: RecordOperation...
        ) async throws -> [CloudError.Code?] {
            try await codes(person, operations)
        }

        func codes(_ person: Character, _ operations: [RecordOperation]) async throws -> [CloudError.Code?] {
            try await cloud.modify(operations, in: .public, as: cloud.user(person)).map { $0.error?.code }
        }

        func present(_ names: String...) async throws -> [String] {
            try await cloud.lookup(names, in: .public).compactMap(\.saved?.recordName)
        }

        func expectSound(_ comment: Comment = "") async throws {
            let report = try await cloud.service.checkConsistency(repairing: false)
            #expect(report.findings.isEmpty, comment)
            let notes = try await cloud.store.read(.deferredWork) {
                try $0.entries(in: DeferredCascade.notes, limit: 9)
            }
            #expect(notes.isEmpty, comment)
        }
    }

    @Test(arguments: Engine.allCases)
    func aStrangersReferencesDoNotKeepARecord(engine: Engine) async throws {
        let commons = try await Commons(engine)
        #expect(try await commons.codes("b", .link("early", .validate, to: ["post"])) == [.validatingReferenceError])
        #expect(try await commons.codes("a", .link("post")) == [nil])
        #expect(
            try await commons.codes("b", .link("v", .validate, to: ["post"]), .link("child", parent: "post"))
                == [nil, nil])
        try await commons.expectSound()
        #expect(try await commons.codes("b", .remove("post")) == [.accessDenied])
        #expect(try await commons.codes("a", .remove("post")) == [nil])
        #expect(try await commons.present("post", "v", "child") == ["v", "child"])
        try await commons.expectSound()
        // What dangles can be changed, and goes like everything else.
        #expect(try await commons.codes("b", .link("v", .validate, to: ["post"]), .remove("child")) == [nil, nil])
        #expect(try await commons.codes("b", .remove("v")) == [nil])
        try await commons.expectSound()
    }

    @Test func theOwnReferencesHoldAsEverywhere() async throws {
        let commons = try await Commons()
        #expect(
            try await commons.codes(
                "a", .link("post"), .link("v", .validate, to: ["post"]), .link("top"), .link("child", parent: "top"))
                == [nil, nil, nil, nil])
        #expect(
            try await commons.codes("a", .remove("post"), .remove("top"))
                == [.validatingReferenceError, .validatingReferenceError])
        #expect(try await commons.codes("a", .remove("v"), .remove("child")) == [nil, nil])
        #expect(try await commons.codes("a", .remove("post"), .remove("top")) == [nil, nil])
        try await commons.expectSound()
    }

    @Test func whoMayWriteARecordMayHoldIt() async throws {
        let commons = try await Commons()
        try await commons.cloud.service.applySchema(
            """
            DEFINE SCHEMA RECORD TYPE Link (to LIST<REFERENCE>,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud");
            """, to: commons.cloud.context)
        #expect(try await commons.codes("a", .link("page")) == [nil])
        #expect(try await commons.codes("b", .link("v", .validate, to: ["page"])) == [nil])
        #expect(try await commons.codes("a", .remove("page")) == [.validatingReferenceError])
        try await commons.expectSound()
    }

    @Test func whatAStrangerHoldsOfTheirOwnDoesNotKeepARecordEither() async throws {
        let commons = try await Commons()
        #expect(try await commons.codes("a", .link("post"), .link("own", to: ["post"])) == [nil, nil])
        #expect(
            try await commons.codes(
                "b", .link("comment", to: ["post"]), .link("anchor", .validate, to: ["comment"]),
                .link("other", to: ["post"]), .link("below", to: ["own"]), .link("pin", .validate, to: ["below"]))
                == [nil, nil, nil, nil, nil])
        #expect(try await commons.codes("a", .remove("post")) == [nil])
        #expect(
            try await commons.present("post", "own", "comment", "anchor", "other", "below", "pin")
                == ["comment", "anchor", "below", "pin"])
        try await commons.expectSound()
        // A cascade that somebody holds with their own records is still theirs to refuse.
        #expect(
            try await commons.codes(
                "a", .link("root"), .link("leaf", to: ["root"]), .link("held", .validate, to: ["leaf"]))
                == [nil, nil, nil])
        #expect(try await commons.codes("a", .remove("root")) == [.validatingReferenceError])
    }

    @Test func aCascadeTakesOnlyWhatAskedForIt() async throws {
        let commons = try await Commons()
        #expect(try await commons.codes("a", .link("post")) == [nil])
        #expect(
            try await commons.codes(
                "b", .link("comment", to: ["post"]), .link("reply", to: ["comment"]), .link("note", .none, to: ["post"])
            )
                == [nil, nil, nil])
        #expect(try await commons.codes("a", .remove("comment"), .remove("note")) == [.accessDenied, .accessDenied])
        #expect(try await commons.codes("a", .remove("post")) == [nil])
        #expect(try await commons.present("comment", "reply", "note") == ["note"])
        try await commons.expectSound()
    }

    @Test func aStrangerUsesUpNobodysPlaces() async throws {
        let commons = try await Commons()
        let limit = ReferenceLimits.deleteSelfSources
        #expect(try await commons.codes("a", .link("post")) == [nil])
        for start in stride(from: 0, to: limit, by: 150) {
            let links = (start..<start + 150).map { RecordOperation.link("s\($0)", to: ["post"]) }
            #expect(try await commons.codes("b", links).allSatisfy { $0 == nil })
        }
        let error = try await commons.cloud.modify(
            [.link("more", to: ["post"])], in: .public, as: commons.cloud.user("b"))[0].error
        #expect(error?.code == .badRequest)
        #expect(
            error?.reason.contains("750 records of the same author with DELETE_SELF") == true, "\(error?.reason ?? "")")
        #expect(try await commons.codes("a", .link("own", to: ["post"])) == [nil])
        #expect(try await commons.codes("c", .link("third", to: ["post"])) == [nil])
        // A place that is given up is free again, and only that one.
        #expect(try await commons.codes("b", .remove("s0"), .link("more", to: ["post"])) == [nil, nil])
        #expect(try await commons.codes("b", .link("yet", to: ["post"])) == [.badRequest])
        #expect(try await commons.codes("a", .remove("post")) == [nil])
        #expect(try await commons.present("own", "third", "s1", "s749", "more") == [])
        try await commons.expectSound()
        // And all of them, once the target is gone.
        let left = try await commons.cloud.store.read(commons.partition) {
            try $0.entries(in: KeyRange(prefix: Keyspace.prefix(.authorReferrers, zone: .default).key), limit: 9)
        }
        #expect(left.isEmpty)
    }

    /// More holders than one transaction reads, of which some stay: the cascade gets past them and ends.
    @Test(arguments: Engine.allCases)
    func aCascadeGetsPastWhatStays(engine: Engine) async throws {
        for work in [
            CascadeWork(
                recordsPerStep: 4, recordsPerFetch: 2, targetsPerStep: 2, referencesPerStep: 6, goersPerRead: 3,
                holdsPerRead: 2), CascadeWork(recordsPerStep: 50, goersPerRead: 1),
        ] {
            let commons = try await Commons(engine, work)
            #expect(try await commons.codes("a", .link("post")) == [nil])
            var names: [String] = []
            for person in "bcd" {
                let links = (0..<8).map { RecordOperation.link("\(person)\($0)", to: ["post"]) }
                names += links.compactMap(\.record.recordName)
                let pins = (0..<5).map { RecordOperation.link("\(person)pin\($0)", .validate, to: ["\(person)\($0)"]) }
                #expect(try await commons.codes(person, links + pins).allSatisfy { $0 == nil })
            }
            #expect(try await commons.codes("a", .remove("post")) == [nil])
            let left = try await commons.cloud.lookup(names, in: .public).compactMap(\.saved?.recordName)
            #expect(left == names.filter { !["5", "6", "7"].contains($0.dropFirst()) }, "\(work)")
            try await commons.expectSound("\(work)")
        }
    }

    @Test func parentsMakeNoCirclesBetweenPeople() async throws {
        let commons = try await Commons()
        #expect(try await commons.codes("a", .link("x")) == [nil])
        #expect(try await commons.codes("b", .link("y", parent: "x")) == [nil])
        #expect(try await commons.codes("a", .link("x", parent: "y")) == [.validatingReferenceError])
        #expect(try await commons.codes("a", .link("x", parent: "x")) == [.validatingReferenceError])
    }

    /// Entries that were written when every reference held its target.
    @Test func anEntryOfFormerTimesDoesNotHoldEither() async throws {
        let commons = try await Commons()
        #expect(try await commons.codes("a", .link("post")) == [nil])
        #expect(try await commons.codes("b", .link("v", .validate, to: ["post"])) == [nil])
        try await commons.cloud.store.write(commons.partition) { transaction in
            var count = ReferrerCount()
            count.holding = 1
            transaction.set(Keyspace.referrerCount(zone: .default, target: "post"), count)
            transaction.set(Keyspace.referrer(zone: .default, target: "post", .validate, source: "v"), [1])
        }
        #expect(try await commons.codes("a", .remove("post")) == [nil])
        #expect(try await commons.codes("b", .remove("v")) == [nil])
        try await commons.expectSound()
    }

    @Test("the doctor finds wrong numbers of an author's references, and counts them again")
    func authorsAreCountedAgain() async throws {
        let commons = try await Commons()
        #expect(try await commons.codes("a", .link("post"), .link("own", to: ["post"])) == [nil, nil])
        #expect(try await commons.codes("b", .link("x", to: ["post"]), .link("y", to: ["post"])) == [nil, nil])
        try await commons.expectSound()
        let rows = {
            try await commons.cloud.store.read(commons.partition) {
                try $0.entries(in: KeyRange(prefix: Keyspace.prefix(.authorReferrers, zone: .default).key), limit: 9)
            }
        }
        let before = try await rows()
        try #require(before.count == 2)
        let others = ["nobody", "post"].map { Keyspace.authorReferrers(zone: .default, target: $0, author: "_none") }
        let damages: [[(Key, [UInt8]?)]] = [
            [(before[0].key, nil)], [(before[1].key, [9])], [(others[0], [1])], [(others[1], [1])],
            [(before[0].key, []), (before[1].key, nil), (others[0], [2])],
        ]
        for damage in damages {
            try await commons.cloud.store.write(commons.partition) { transaction in
                for (key, value) in damage {
                    if let value { transaction.set(key, value) } else { transaction.clear(key) }
                }
            }
            let found = try await commons.cloud.service.checkConsistency(repairing: false)
            #expect(found.findings.map(\.kind) == damage.map { _ in .wrongReferrers }, "\(found.findings)")
            let repair = try await commons.cloud.service.checkConsistency(repairing: true)
            #expect(repair.repaired == damage.count)
            #expect(try await rows() == before)
            try await commons.expectSound()
        }
    }
}
