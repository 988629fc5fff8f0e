import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// A cloud that was only used has nothing to repair; what is taken away or added behind its back is found, named, and put
/// right as far as it can be.
@Suite struct ConsistencyTests {
    private typealias Rows = [Key: [UInt8]]

    /// Records with all kinds of indexes, references, lists and assets, in zones with and without a feed, some of them
    /// changed and deleted again; people; a share; a deleted zone.
    private func filled(_ engine: Engine) async throws -> AssetCloud {
        let assets = try await AssetCloud(engine)
        let cloud = assets.cloud
        try await cloud.service.createAccount(email: "ada@example.org", password: "a long password")
        _ = try await cloud.service.userRecordName(email: "ada@example.org", in: cloud.context)
        for zone in ["Z", "Gone"] { try await cloud.makeZone(zone) }
        for zone in [nil, "Z", "Gone"] {
            _ = try await cloud.modify(
                (0..<130).map { number in
                    .make(
                        .forceUpdate, "n\(number)",
                        ["x": .integer(Int64(number % 7)), "text": .text("word \(number) and more")])
                }, zone: zone)
            _ = try await cloud.modify((0..<20).map { .make(.forceUpdate, "n\($0)", ["x": .integer(99)]) }, zone: zone)
            _ = try await cloud.modify((20..<30).map { .remove("n\($0)") }, zone: zone)
            _ = try await cloud.modify([.link("a"), .link("b", .deleteSelf, to: ["a"])], zone: zone)
            _ = try await cloud.modify([.link("c", .validate, to: ["a"]), .link("d", parent: "a")], zone: zone)
        }
        _ = try await cloud.modify((0..<5).map { .make(.create, "p\($0)") }, in: .public)
        try await assets.store([1, 2, 3], in: "photo", zone: "Z")
        try await assets.store([4, 5], in: "photo2", zone: "Gone")
        try await cloud.deleteZone("Gone")
        return assets
    }

    private func rows(_ cloud: TestCloud, _ partition: Partition) async throws -> Rows {
        let all = KeyRange(lower: Key(), upper: Key([0xFF]))
        let entries = try await cloud.store.read(partition) { try $0.entries(in: all, limit: .max) }
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
    }

    @Test(arguments: Engine.allCases) func whatIsUsedOnlyFitsTogether(engine: Engine) async throws {
        let assets = try await filled(engine)
        let report = try await assets.service.checkConsistency(repairing: false)
        #expect(report.problems == 0, "\(report.findings.prefix(5))")
        #expect(report.records > 250 && report.indexEntries > 1_000 && report.assets == 2 && report.databases >= 2)
        let before = try await rows(assets.cloud, try assets.cloud.home())
        let repaired = try await assets.service.checkConsistency(repairing: true)
        #expect(repaired.problems == 0)
        #expect(try await rows(assets.cloud, try assets.cloud.home()) == before, "there was nothing to repair")
        await assets.cloud.store.close()
    }

    /// Takes away every entry of a range, one each time in steps, and expects it back.
    @Test(arguments: [
        (Keyspace.Tag.index, ConsistencyFinding.Kind.missingIndexEntry), (.token, .missingIndexEntry),
        (.referrer, .wrongReferrers), (.referrerCount, .wrongReferrers),
    ])
    func whatIsMissingIsMadeAgain(tag: Keyspace.Tag, kind: ConsistencyFinding.Kind) async throws {
        let assets = try await filled(.memory)
        let home = try assets.cloud.home()
        let before = try await rows(assets.cloud, home)
        let keys = before.keys.filter { $0.bytes.first == tag.rawValue }.sorted()
        try #require(!keys.isEmpty)
        for key in keys.enumerated().filter({ $0.offset.isMultiple(of: max(1, keys.count / 12)) }).map(\.element) {
            try await assets.cloud.store.write(home) { $0.clear(key) }
            let found = try await assets.service.checkConsistency(repairing: false)
            #expect(found.findings.allSatisfy { $0.kind == kind || $0.kind == .wrongReferrers })
            #expect(found.problems > 0 && found.repaired == 0, "\(key)")
            #expect(try await rows(assets.cloud, home)[key] == nil, "only looked")
            let repair = try await assets.service.checkConsistency(repairing: true)
            #expect(repair.problems == repair.repaired && repair.problems > 0)
            #expect(Set(try await rows(assets.cloud, home).keys) == Set(before.keys))
            #expect(try await assets.service.checkConsistency(repairing: false).problems == 0)
        }
    }

    @Test func whatNoRecordHasGoes() async throws {
        let assets = try await filled(.memory)
        let (home, store) = (try assets.cloud.home(), assets.cloud.store)
        let before = try await rows(assets.cloud, home)
        let zone = try #require(
            try await store.read(home) { try ZoneHeader.find("Z", in: $0) }?.number)
        let entries = before.keys.filter {
            $0.bytes.starts(with: Keyspace.prefix(.index, zone: zone).key.bytes)
                || $0.bytes.starts(with: Keyspace.prefix(.token, zone: zone).key.bytes)
        }.sorted()
        // Of records that are not there, of values that they do not have, and of no index at all.
        var added = entries.prefix(3).map { Key($0.bytes + Array("x".utf8)) }
        added.append(Keyspace.prefix(.index, zone: zone, index: IndexNumber(rawValue: 9_999)).key.next)
        added.append(Keyspace.referrer(zone: zone, target: "a", .deleteSelf, source: "nobody"))
        let keys = added
        try await store.write(home) { transaction in for key in keys { transaction.set(key, [1]) } }
        let found = try await assets.service.checkConsistency(repairing: false)
        #expect(found.findings.count { $0.kind == .staleIndexEntry } == 4)
        #expect(found.findings.count { $0.kind == .wrongReferrers } == 2, "the entry, and the count")
        let repair = try await assets.service.checkConsistency(repairing: true)
        #expect(repair.repaired == repair.problems)
        #expect(try await rows(assets.cloud, home) == before)
    }

    @Test func countsAreCountedAgain() async throws {
        let assets = try await filled(.memory)
        let home = try assets.cloud.home()
        let right: Usage? = try await assets.cloud.store.read(home) { try $0.value(at: Keyspace.usage) }
        try await assets.cloud.store.write(home) { $0.set(Keyspace.usage, Usage()) }
        let found = try await assets.service.checkConsistency(repairing: false)
        #expect(found.findings.map(\.kind) == [.wrongUsage])
        _ = try await assets.service.checkConsistency(repairing: true)
        let now: Usage? = try await assets.cloud.store.read(home) { try $0.value(at: Keyspace.usage) }
        #expect(now == right && now != nil)
    }

    @Test func whatIsLostIsToldAndStaysSo() async throws {
        let assets = try await filled(.memory)
        let (home, store) = (try assets.cloud.home(), assets.cloud.store)
        let (zone, blob, version) = try await store.read(home) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)?.number)
            let record = try #require(try transaction.record(named: "photo", in: zone))
            let asset = try #require(record.fields.assets.first)
            let blob: StoredBlob? = try transaction.value(at: Keyspace.assetBlob(asset))
            return (zone, try #require(blob), record.version)
        }
        try await assets.assets.remove([blob.file], of: AssetOwner(home))
        try await store.write(home) { transaction in
            // A record that cannot be read, and one that has lost its name.
            transaction.set(Keyspace.version(zone: zone, 1 << 40), [0xFF])
            transaction.clear(Keyspace.record(zone: zone, name: "n50"))
        }
        let found = try await assets.service.checkConsistency(repairing: true)
        let kinds = found.findings.map(\.kind)
        #expect(kinds.contains(.missingAsset) && kinds.contains(.unreadableRecord) && kinds.contains(.wrongName))
        #expect(found.repaired < found.problems)
        #expect(try await assets.service.checkConsistency(repairing: false).problems > 0)
        // The photo itself was not touched.
        #expect(try await store.read(home) { try $0.record(named: "photo", in: zone)?.version } == version)
    }
}
