import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// A check in many ranges of names finds what one in a single range finds.
@Suite struct ConsistencyRangeTests {
    /// Twelve assets, some of several records; targets with several referrers each; names that begin each other.
    private func filled(_ engine: Engine) async throws -> AssetCloud {
        let assets = try await AssetCloud(engine)
        for number in 0..<12 {
            let copies = 1 + number % 3
            for copy in 0..<copies { try await assets.store([1, UInt8(number)], in: "photo-\(number)-\(copy)") }
        }
        let targets = ["a", "a b", "a-", "aa", "a.b", "A", "z"] + (0..<6).map { "target-\($0)" }
        #expect(try await assets.cloud.modify(targets.map { .link($0) }).allSatisfy { $0.saved != nil })
        for (index, target) in targets.enumerated() {
            _ = try await assets.cloud.modify(
                (0...index % 3).map { .link("to-\(index)-\($0)", .deleteSelf, to: [target]) })
        }
        return assets
    }

    /// Counts too many, too few, for nobody and not at all; uses by nobody, and of bytes that are not there.
    private func damage(_ assets: AssetCloud) async throws {
        let home = try assets.cloud.home()
        let keys = try await assets.cloud.store.read(home) { transaction in
            func keys(_ range: KeyRange) throws -> [Key] { try transaction.entries(in: range, limit: .max).map(\.key) }
            return (
                blobs: try keys(Keyspace.assetBlobs), uses: try keys(Keyspace.assetUses),
                counts: try keys(KeyRange(prefix: Keyspace.prefix(.referrerCount, zone: .default).key))
            )
        }
        try #require(keys.blobs.count == 12 && keys.uses.count == 24)
        try #require(keys.counts.count == 13)
        try await assets.cloud.store.write(home) { transaction in
            for index in [0, 4, 5, 11] { transaction.clear(keys.blobs[index]) }
            for index in [1, 2, 12, 23] { transaction.clear(keys.uses[index]) }
            for index in [0, 3, 12] { transaction.clear(keys.counts[index]) }
            for index in [1, 5] { transaction.set(keys.counts[index], ReferrerCount()) }
            for name in ["", "a\u{0}a", "nobody", "zz"] {
                transaction.set(Keyspace.referrerCount(zone: .default, target: name), ReferrerCount())
            }
            for target in ["b", "target-0\u{0}", "zzz"] {
                transaction.set(
                    Keyspace.referrer(zone: .default, target: target, .deleteSelf, source: "to-0-0"), [1])
            }
            for number in 0..<10 {
                let asset = AssetID(sha256: Array(repeating: UInt8(number * 25), count: 32))
                for record in ["photo-1-0", "nobody"] {
                    transaction.set(Keyspace.assetUse(zone: .default, recordName: record, asset), [])
                }
            }
        }
    }

    /// Every finding, with how often it was made.
    private func counted(_ report: ConsistencyReport) -> [ConsistencyFinding: Int] {
        Dictionary(grouping: report.findings) { $0 }.mapValues(\.count)
    }

    @Test(arguments: Engine.allCases)
    func manyRangesFindWhatOneFinds(engine: Engine) async throws {
        let assets = try await filled(engine)
        #expect(try await assets.service.checkConsistency(repairing: false, namesPerStep: 1).problems == 0)
        try await damage(assets)
        let whole = try await assets.service.checkConsistency(repairing: false)
        let kinds = Dictionary(grouping: whole.findings, by: \.kind).mapValues(\.count)
        #expect(whole.assets == 8 && kinds[.missingAsset] == 14, "\(kinds)")
        // The uses that are gone, those of nobody, the counts that miss some, and the names that are not there.
        #expect((kinds[.wrongAssetUse] ?? 0) >= 24 && (kinds[.wrongReferrers] ?? 0) == 15, "\(kinds)")
        #expect(whole.problems == whole.findings.count, "all are listed")
        for namesPerStep in [1, 2, 3, 7, 13] {
            let parts = try await assets.service.checkConsistency(repairing: false, namesPerStep: namesPerStep)
            #expect(counted(parts) == counted(whole), "\(namesPerStep)")
            #expect(parts.problems == whole.problems && parts.assets == whole.assets)
        }
        let repaired = try await assets.service.checkConsistency(repairing: true, namesPerStep: 2)
        #expect(repaired.findings.count { $0.kind == .wrongReferrers && $0.isRepaired } >= 12)
        let after = try await assets.service.checkConsistency(repairing: false)
        #expect(!after.findings.contains { $0.kind == .wrongReferrers })
        await assets.cloud.store.close()
    }

    @Test("A range holds no more names than it may, also where no bytes are known at all")
    func boundedRanges() async throws {
        let assets = try await filled(.memory)
        try await damage(assets)
        let place = ConsistencyPlace(database: "d", zone: "", repairs: false)
        let check = AssetCountCheck(place: place, limit: 2)
        var next: Key? = Key()
        var (ranges, blobs) = (0, 0)
        while let from = next {
            let range = try await assets.cloud.store.read(try assets.cloud.home()) {
                try check.range(from: from, in: $0)
            }
            #expect(range.blobs.count <= 2 && range.findings.count <= 6)
            ranges += 1
            blobs += range.blobs.count
            if let later = range.next { #expect(from < later) }
            next = range.next
        }
        #expect(blobs == 8 && ranges >= 8)
    }
}
