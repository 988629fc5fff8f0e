import StratusCloudModel
import Testing

@testable import StratusCloudService

/// `assets/rereference`
@Suite struct AssetRereferenceTests {
    private func rereference(
        _ cloud: AssetCloud, _ record: String, _ field: String = "image", zone: String? = nil, target: String? = nil,
        in scope: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> Asset {
        let request = RereferenceAssetsRequest(
            items: [.init(recordName: record, fieldName: field)], zoneID: zone.map { ZoneID(zoneName: $0) },
            targetZoneID: target.map { ZoneID(zoneName: $0) })
        let results = try await cloud.service.rereferenceAssets(request, in: scope, as: caller ?? cloud.cloud.user())
        switch try #require(results.first) {
        case .asset(let asset): return asset
        case .failed(_, let error): throw error
        }
    }

    @Test("The same bytes in another record, field and type, stored once", arguments: Engine.allCases)
    func copies(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine)
        try await cloud.store([1, 2, 3], in: "p")
        let asset = try await rereference(cloud, "p")
        let copy = try #require(
            try await cloud.save(.create, "q", type: "Note", ["file": .scalar(.asset(asset))]).saved)
        _ = try await cloud.save(.forceDelete, "p", [:])
        cloud.advance(milliseconds: AssetLimits().graceTime + AssetLimits().uploadLifetime)
        try await cloud.service.collectAssets()
        #expect(try await cloud.fetch(try cloud.address(of: copy, field: "file")) == [1, 2, 3])
        #expect(cloud.assets.files.count == 1)
    }

    @Test("A receipt for another zone is good there only")
    func targetZone() async throws {
        let cloud = try await AssetCloud()
        try await cloud.cloud.makeZone("Z")
        try await cloud.store([1], in: "p")
        let asset = try await rereference(cloud, "p", target: "Z")
        let fields: [String: InputValue] = ["image": .scalar(.asset(asset))]
        #expect(try await cloud.save(.create, "q", fields).error?.code == .badRequest)
        #expect(try await cloud.save(.create, "q", fields, zone: "Z").saved != nil)
    }

    @Test("Each receipt saves one record")
    func once() async throws {
        let cloud = try await AssetCloud()
        try await cloud.store([1], in: "p")
        let fields: [String: InputValue] = ["image": .scalar(.asset(try await rereference(cloud, "p")))]
        #expect(try await cloud.save(.create, "q", fields).saved != nil)
        #expect(try await cloud.save(.create, "r", fields).error?.code == .badRequest)
    }

    @Test("What is no asset, or not there, or not readable is said")
    func refused() async throws {
        let cloud = try await AssetCloud()
        try await cloud.store([1], in: "p")
        _ = try await cloud.save(.forceUpdate, "p", ["title": .text("t")])
        #expect(await refusal { try await rereference(cloud, "none") }?.code == .notFound)
        #expect(await refusal { try await rereference(cloud, "p", "other") }?.code == .notFound)
        #expect(await refusal { try await rereference(cloud, "p", "title") }?.code == .badRequest)
        #expect(await refusal { try await rereference(cloud, "p", target: "none") }?.code == .zoneNotFound)
        let other = cloud.cloud.user("b")
        #expect(await refusal { try await rereference(cloud, "p", as: other) }?.code == .notFound)
        let list = InputValue.list([.scalar(.asset(try await cloud.upload([1], for: "l", field: "many")))])
        #expect(try await cloud.save(.create, "l", ["many": list]).saved != nil)
        #expect(await refusal { try await rereference(cloud, "l", "many") }?.code == .badRequest)
    }
}
