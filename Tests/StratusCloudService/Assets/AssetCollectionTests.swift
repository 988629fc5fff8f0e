import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What happens to bytes that nothing needs any more (threat 49).
@Suite struct AssetCollectionTests {
    private let limits = AssetLimits()

    private func collect(_ cloud: AssetCloud) async throws -> Int {
        try await cloud.service.collectAssets()
        return cloud.assets.files.count
    }

    @Test("Threat 49: bytes go some time after the last record", arguments: Engine.allCases)
    func deleted(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine)
        try await cloud.store([1], in: "p")
        try await cloud.store([1], in: "q")
        try await cloud.store([2], in: "r")
        #expect(try await collect(cloud) == 2, "equal bytes lie there once")
        _ = try await cloud.save(.forceDelete, "p", [:])
        _ = try await cloud.save(.forceReplace, "r", [:])
        cloud.advance(milliseconds: limits.graceTime - 1)
        #expect(try await collect(cloud) == 2)
        // A record's times grow with every save, so the second change of r counts as a millisecond later.
        cloud.advance(milliseconds: 2)
        #expect(try await collect(cloud) == 1, "p's bytes are q's, too")
        _ = try await cloud.save(.forceUpdate, "q", ["image": .null])
        cloud.advance(milliseconds: limits.graceTime + 1)
        #expect(try await collect(cloud) == 0)
    }

    @Test("Bytes that come again within the time stay")
    func revived() async throws {
        let cloud = try await AssetCloud()
        try await cloud.store([1], in: "p")
        _ = try await cloud.save(.forceDelete, "p", [:])
        cloud.advance(milliseconds: limits.graceTime)
        let record = try await cloud.store([1], in: "q")
        #expect(try await collect(cloud) == 1)
        cloud.advance(milliseconds: limits.graceTime)
        #expect(try await collect(cloud) == 1)
        #expect(try await cloud.fetch(try cloud.address(of: record)) == [1])
    }

    @Test("Threat 49: a deleted zone lets its bytes go", arguments: Engine.allCases)
    func zone(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine)
        try await cloud.cloud.makeZone("Z")
        for number in UInt8(1)...5 { try await cloud.store([number % 3], in: "p\(number)", zone: "Z") }
        let kept = try await cloud.store([1], in: "p")
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "Z"))], in: .private, as: cloud.cloud.user())
        cloud.advance(milliseconds: limits.graceTime)
        #expect(try await collect(cloud) == 1)
        #expect(try await cloud.fetch(try cloud.address(of: kept)) == [1])
    }

    @Test("Threat 49: uploads that are never saved go, finished or not")
    func unsaved() async throws {
        let cloud = try await AssetCloud()
        _ = try await cloud.upload([1], for: "p")
        let (_, text) = try await cloud.place("q")
        _ = try await cloud.send([1, 2], to: text, .range(from: 0, length: 2, total: 4))
        #expect(try await collect(cloud) == 2)
        cloud.advance(milliseconds: limits.uploadLifetime)
        #expect(try await collect(cloud) == 1, "what came of the second; the first is an asset, for its grace time")
        cloud.advance(milliseconds: limits.graceTime)
        #expect(try await collect(cloud) == 0)
    }

    @Test("Equal bytes of two people, and of two databases, lie apart")
    func owners() async throws {
        let cloud = try await AssetCloud()
        for user in [cloud.cloud.user(), cloud.cloud.user("b")] {
            for scope in [DatabaseScope.private, .public] {
                _ = try await cloud.upload([1], for: "p", in: scope, as: user)
            }
        }
        #expect(try await collect(cloud) == 3, "two private databases, one public")
    }

    @Test("Threat 49: a failure on the way only makes it happen again")
    func failures() async throws {
        let store = MemoryStore()
        let assets = MemoryAssets()
        let cloud = AssetCloud(try await TestCloud(store: store, assets: assets), assets)
        try await cloud.store([1], in: "p")
        _ = try await cloud.save(.forceDelete, "p", [:])
        cloud.advance(milliseconds: limits.graceTime)
        assets.failNextWrite(with: AssetStoreError(.ioFailure, "no"))
        #expect(await refusal { try await cloud.service.collectAssets() } != nil)
        #expect(assets.files.count == 1)
        store.failNextCommit(with: StoreError(.ioFailure, "no"))
        #expect(await refusal { try await cloud.service.collectAssets() } != nil)
        #expect(try await collect(cloud) == 0)
    }
}

extension AssetCloud {
    init(_ cloud: TestCloud, _ assets: MemoryAssets) {
        self.cloud = cloud
        self.assets = assets
    }
}
