import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// A check of a cloud in which everything fits reads its rows in order and looks nothing up for them.
@Suite struct ScanTests {
    private final class Lookups: StoreObserver {
        let keys = Lock(0)

        func note(_ access: StoreAccess, isWriting: Bool) {
            if case .get(let keys) = access { self.keys.withLock { $0 += keys } }
        }
    }

    private func fill(_ cloud: TestCloud, _ count: Int) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            _ = try await cloud.modify(
                (start..<min(start + 100, count)).map { number in
                    .make(
                        .forceUpdate, "n\(number)",
                        ["x": .integer(Int64(number)), "text": .text("some words \(number)")])
                })
        }
    }

    /// Keys that a check of so many records looks up.
    private func lookups(_ count: Int) async throws -> Int {
        let base = try await AssetCloud()
        try await fill(base.cloud, count)
        let store = ObservedStore(base.cloud.store, by: Lookups())
        let watching = try TestCloud(reopening: store, assets: base.assets)
        let before = store.observer.keys.withLock { $0 }
        let report = try await watching.service.checkConsistency(repairing: false)
        #expect(report.problems == 0 && report.records >= count && report.indexEntries > 4 * count)
        return store.observer.keys.withLock { $0 } - before
    }

    @Test("The look-ups of a check do not grow with the records")
    func nothingIsLookedUp() async throws {
        #expect(try await lookups(10) == (try await lookups(400)))
    }

    @Test("Several threads find what one finds", arguments: [Engine.memory, .leveldb])
    func threads(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine).cloud
        try await fill(cloud, 300)
        let (home, store) = (try cloud.home(), cloud.store)
        let schema = try await cloud.service.schema(of: cloud.context)
        func scan(_ isLarge: Bool) async throws -> DatabaseScan.Outcome {
            try await DatabaseScan(schema, countsAuthors: false, isLarge: isLarge, CheckProgress()).run(home, in: store)
        }
        let (one, many) = (try await scan(false), try await scan(true))
        #expect(one.fits && many.fits && one.records == many.records && one.indexEntries == many.indexEntries)
        #expect(one.countedUsage == many.countedUsage && one.storedUsage == one.countedUsage)
        let key = TypeIndex.key(zone: .default, type: "Item", name: "n7")
        let keys = try await store.read(home) { transaction in
            try transaction.entries(in: KeyRange(prefix: Keyspace.prefix(.index, zone: .default).key), limit: .max)
        }
        let victim = try #require(keys.first { $0.key.bytes.suffix(2).elementsEqual("n7".utf8) }?.key ?? key)
        try await store.write(home) { $0.clear(victim) }
        let damaged = try await scan(true)
        #expect(!damaged.fits && damaged.sums.isSuspect("n7", in: .default))
        #expect(!damaged.sums.isSuspect("n8", in: .default), "others are not looked up")
        await store.close()
    }

    @Test("A quick check finds a wrong count and a damaged sample, and looks at few rows of many")
    func quick() async throws {
        let assets = try await AssetCloud()
        let cloud = assets.cloud
        try await fill(cloud, 700)
        let sound = try await cloud.service.checkQuickly()
        #expect(sound.problems == 0 && sound.databases > 0 && sound.records > 0 && sound.indexEntries > 0)
        #expect(sound.records <= ServiceLimits.sampledRecords * sound.databases)
        let home = try cloud.home()
        let usage: Usage? = try await cloud.store.read(home) { try $0.value(at: Keyspace.usage) }
        var wrong = try #require(usage)
        wrong.records += 3
        try await cloud.store.write(home) { [wrong] in $0.set(Keyspace.usage, wrong) }
        #expect(try await cloud.service.checkQuickly().findings.map(\.kind) == [.wrongUsage])
        // Whatever the sample is, it has entries whose records are gone.
        try await cloud.store.write(home) { $0.clear(KeyRange(prefix: Keyspace.prefix(.version, zone: .default).key)) }
        let kinds = Set(try await cloud.service.checkQuickly().findings.map(\.kind))
        #expect(kinds.contains(.staleIndexEntry))
    }

    @Test("Progress counts rows, and the bytes of assets")
    func progress() async throws {
        let assets = try await AssetCloud()
        try await fill(assets.cloud, 200)
        try await assets.store(Array(repeating: 5, count: 3_000), in: "photo")
        let progress = CheckProgress()
        let report = try await assets.service.checkConsistency(repairing: false, progress)
        #expect(progress.rowsRead >= UInt64(report.records + report.indexEntries))
        #expect(progress.assetBytesRead == 3_000)
    }
}
