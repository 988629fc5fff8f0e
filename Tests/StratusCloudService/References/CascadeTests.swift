import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Cascades that are too large for one transaction.
@Suite struct CascadeTests {
    private static let small = CascadeWork(
        recordsPerStep: 7, bytesPerStep: 10_000_000, recordsPerFetch: 3, targetsPerStep: 2, referencesPerStep: 20,
        holdsPerRead: 2)

    private func cloud(
        _ engine: Engine = .memory, _ work: CascadeWork = CascadeWork()
    ) async throws -> TestCloud {
        let cloud = try await TestCloud(engine, cascadeWork: work)
        try await cloud.makeZone("Z")
        return cloud
    }

    /// A tree in which each record goes with the one above it, and has it as its parent.
    private func makeTree(_ width: Int, _ depth: Int, zone: String?, in cloud: TestCloud) async throws -> [String] {
        var names = ["root"]
        var level = ["root"]
        _ = try await cloud.modify([.link("root")], zone: zone)
        for _ in 0..<depth {
            let next = level.flatMap { above in (0..<width).map { (name: "\(above).\($0)", above: above) } }
            for start in stride(from: 0, to: next.count, by: 200) {
                let batch = next[start..<min(start + 200, next.count)]
                let codes = try await cloud.codes(
                    batch.map { .link($0.name, to: [$0.above], parent: $0.above) }, zone: zone)
                #expect(codes.allSatisfy { $0 == nil })
            }
            level = next.map(\.name)
            names += level
        }
        return names
    }

    @Test("Threat 40: a tree goes in steps, wholly", arguments: Engine.allCases, ["Z", nil])
    func threat40tree(engine: Engine, zone: String?) async throws {
        for work in [
            Self.small, CascadeWork(recordsPerStep: 1, recordsPerFetch: 1, targetsPerStep: 1, referencesPerStep: 1),
            CascadeWork(recordsPerStep: 50, bytesPerStep: 1, recordsPerFetch: 2),
        ] {
            let cloud = try await cloud(engine, work)
            let names = try await makeTree(4, 3, zone: zone, in: cloud)
            _ = try await cloud.modify([.link("kept"), .link("kept.too", to: ["kept"])], zone: zone)
            #expect(try await cloud.codes([.remove("root")], zone: zone) == [nil])
            #expect(try await cloud.present(names + ["kept", "kept.too"], zone: zone) == ["kept", "kept.too"])
            try await cloud.expectSoundReferences(zone: zone, "\(work)")
            let notes = try await cloud.store.read(.deferredWork) {
                try $0.entries(in: DeferredCascade.notes, limit: 9)
            }
            #expect(notes.isEmpty)
        }
    }

    @Test("Threat 40: a chain of 10,000", arguments: Engine.allCases)
    func threat40chain(engine: Engine) async throws {
        let cloud = try await cloud(engine)
        let names = (0..<10_000).map { "n\($0)" }
        for start in stride(from: 0, to: names.count, by: 200) {
            let codes = try await cloud.codes(
                (start..<start + 200).map { .link(names[$0], to: $0 == 0 ? [] : [names[$0 - 1]]) })
            #expect(codes.allSatisfy { $0 == nil })
        }
        #expect(try await cloud.codes([.remove("n0")]) == [nil])
        #expect(try await cloud.present(names).isEmpty)
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test("Threat 40: 750 times 3", arguments: Engine.allCases)
    func threat40fan(engine: Engine) async throws {
        let cloud = try await cloud(engine)
        _ = try await cloud.modify([.link("t")], zone: "Z")
        var names = ["t"]
        for branch in 0..<3 {
            _ = try await cloud.modify([.link("b\(branch)", to: ["t"])], zone: "Z")
            names.append("b\(branch)")
            for start in stride(from: 0, to: 750, by: 150) {
                let leaves = (start..<start + 150).map { "b\(branch).\($0)" }
                names += leaves
                _ = try await cloud.modify(leaves.map { .link($0, to: ["b\(branch)"]) }, zone: "Z")
            }
        }
        #expect(try await cloud.codes([.remove("t")]) == [nil])
        #expect(try await cloud.present(names).isEmpty)
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    /// A server that ends between two steps; the tree's rest is found through the queue.
    @Test("Threat 56: a cascade that a crash cut goes on after the start", arguments: [0, 1, 2, 5])
    func threat56(steps: Int) async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store, cascadeWork: Self.small)
        try await cloud.makeZone("Z")
        let names = try await makeTree(4, 3, zone: "Z", in: cloud)
        let schema = try await cloud.service.schema(of: cloud.context)
        let home = try cloud.home()
        let zoneID = ZoneID(zoneName: "Z", ownerRecordName: cloud.user().userRecordName)
        // As modifyRecords does it, until the crash.
        _ = try await cloud.service.note(DeferredCascade(context: cloud.context, partition: home, zoneName: "Z"))
        let request = ModifyRecordsRequest(operations: [.remove("root")], zoneID: zoneID)
        let modification = RecordModification(
            operations: try request.prepared(limit: 1, makingNames: { "" }, makingShortGUIDs: { "" }),
            drafting: RecordDrafting(zoneID: zoneID, scope: .private, caller: cloud.user(), schema: schema, now: 1),
            isAtomic: true, schemas: cloud.service.schemas, run: 1,
            quota: Quota(database: .private), drafts: [], cascadeWork: Self.small, defersCascade: true,
            assets: cloud.service.assetSetting(try DatabaseAddress(.private, zoneID, cloud.user()), cloud.user()),
            makeID: { "" }
        )
        _ = try await store.write(home) { try modification.run(in: $0) }
        let step = CascadeStep(
            zoneID: zoneID, schema: schema, schemas: cloud.service.schemas, now: 2, run: 1, work: Self.small,
            scope: .private, context: cloud.context,
            makeID: { "" })
        for _ in 0..<steps { _ = try await store.write(home) { try step.run(in: $0) } }
        #expect(try await !cloud.present(names).isEmpty)
        // The name may be used again before the rest has gone; what refers to the new record stays.
        #expect(try await cloud.codes([.link("root"), .link("fresh", to: ["root"])]) == [nil, nil])
        // And what refers to something doomed goes with it.
        let doomed = try #require(try await cloud.present(names).subtracting(["root"]).max())
        #expect(try await cloud.codes([.link("late", to: [doomed])]) == [nil])

        let next = try await TestCloud(restarting: cloud, cascadeWork: Self.small)
        try await next.service.resumeDeferredWork()
        #expect(try await next.present(names + ["fresh", "late"]) == ["root", "fresh"])
        try await next.expectSoundReferences(zone: "Z", "")
        #expect(try await store.read(.deferredWork) { try $0.entries(in: DeferredCascade.notes, limit: 9) }.isEmpty)
    }

    @Test func whatIsHeldBeyondTheFirstTransactionStays() async throws {
        let cloud = try await cloud(.memory, Self.small)
        let chain = (0..<30).map { "n\($0)" }
        _ = try await cloud.modify(
            chain.enumerated().map { .link($1, to: $0 == 0 ? [] : [chain[$0 - 1]]) }, zone: "Z")
        // Near: refused. Far: stays, with what refers to it.
        _ = try await cloud.modify([.link("near", .validate, to: ["n3"])], zone: "Z")
        #expect(try await cloud.codes([.remove("n0")]) == [.validatingReferenceError])
        #expect(try await cloud.present(chain).count == 30)
        _ = try await cloud.modify([.remove("near"), .link("far", .validate, to: ["n25"])], zone: "Z")
        #expect(try await cloud.codes([.remove("n0")]) == [nil])
        #expect(try await cloud.present(chain) == ["n25", "n26", "n27", "n28", "n29"])
        #expect(try await cloud.codes([.remove("n25"), .remove("far")]) == [nil, nil])
        #expect(try await cloud.present(chain).isEmpty)
        try await cloud.expectSoundReferences(zone: "Z", "")
    }

    @Test("Threat 40: a target is deleted while children arrive", arguments: Engine.allCases)
    func threat40race(engine: Engine) async throws {
        let cloud = try await cloud(engine)
        _ = try await cloud.modify([.link("t")], zone: "Z")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    for index in 0..<10 {
                        let name = "c\(writer)-\(index)"
                        _ = try await cloud.modify([.link(name, to: ["t"], parent: "t")], zone: "Z")
                    }
                }
            }
            group.addTask { _ = try await cloud.modify([.remove("t")], zone: "Z") }
            try await group.waitForAll()
        }
        let names = (0..<16).flatMap { writer in (0..<10).map { "c\(writer)-\($0)" } }
        #expect(try await cloud.present(names + ["t"]).isEmpty, "each came before and went along, or was refused")
        try await cloud.expectSoundReferences(zone: "Z", "")
    }
}
