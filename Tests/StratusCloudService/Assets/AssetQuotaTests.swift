import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Bytes that have no room are refused before they are sent (case 110, threat 41).
@Suite struct AssetQuotaTests {
    private static func bytes(_ count: Int, _ mark: UInt8 = 1) -> [UInt8] { Array(repeating: mark, count: count) }

    @Test("Case 110: what fits to the byte is taken, a byte more is refused at once", arguments: Engine.allCases)
    func edge(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine, quotas: Quotas(privateAssets: 10))
        try await cloud.store(Self.bytes(4), in: "a")
        let files = cloud.assets.files.count
        for part in [AssetPart.whole(length: 7), .range(from: 0, length: 3, total: 7)] {
            let (_, ticket) = try await cloud.place("b")
            let error = await refusal {
                try await cloud.send(Self.bytes(Int(part.length ?? 0)), to: ticket, part)
            }
            #expect(error?.code == .quotaExceeded)
            for word in ["7 bytes", "private", "room for 6"] { #expect(error?.reason.contains(word) == true) }
        }
        #expect(cloud.assets.files.count == files, "refused before a file is made")
        #expect(cloud.service.statistics().quotaRefusals[.private] == 2)
        try await cloud.store(Self.bytes(6, 2), in: "b")
        #expect(try await cloud.service.usage(of: .private, as: cloud.cloud.user()).assetBytes == 10)
        // Full: what has no bytes still fits.
        #expect(await refusal { try await cloud.upload([1], for: "c") }?.code == .quotaExceeded)
        _ = try await cloud.upload([], for: "c")
    }

    @Test("Threat 41: what a record lets go is free for what replaces it")
    func replacement() async throws {
        let cloud = try await AssetCloud(quotas: Quotas(privateAssets: 10))
        try await cloud.store(Self.bytes(6), in: "a")
        try await cloud.store(Self.bytes(4, 2), in: "b")
        try await cloud.store(Self.bytes(6, 3), in: "a")
        #expect(await refusal { try await cloud.upload(Self.bytes(7, 4), for: "a") }?.code == .quotaExceeded)
        // A client that names no record makes a new one.
        #expect(await refusal { try await cloud.upload([1], for: nil) }?.code == .quotaExceeded)
        _ = try await cloud.cloud.modify([.make(.forceDelete, "b")])
        _ = try await cloud.upload(Self.bytes(4, 4), for: nil)
    }

    @Test("An address knows the room of when it was made; the save decides")
    func stale() async throws {
        let cloud = try await AssetCloud(quotas: Quotas(privateAssets: 10))
        let (_, early) = try await cloud.place("b")
        try await cloud.store(Self.bytes(6), in: "a")
        let asset = try await cloud.send(Self.bytes(10, 2), to: early).asset
        let saved = try await cloud.save(.create, "b", ["image": .scalar(.asset(asset))])
        #expect(saved.error?.code == .quotaExceeded)
        // Of unknown length it is received, too, and refused when it is saved.
        let (_, ticket) = try await cloud.place("c")
        let unknown = try await cloud.send(Self.bytes(5, 3), to: ticket, .whole(length: nil)).asset
        #expect(
            try await cloud.save(.create, "c", ["image": .scalar(.asset(unknown))]).error?.code == .quotaExceeded)
    }

    @Test("Each database has its own room, and the operator has all")
    func databases() async throws {
        let cloud = try await AssetCloud(quotas: Quotas(publicAssets: 3, privateAssets: 5))
        #expect(await refusal { try await cloud.upload(Self.bytes(4), for: "a", in: .public) }?.code == .quotaExceeded)
        _ = try await cloud.upload(Self.bytes(5), for: "a")
        _ = try await cloud.upload(Self.bytes(5), for: "a", as: cloud.cloud.user("b"))
        #expect(cloud.service.statistics().quotaRefusals == [.public: 1, .private: 0, .shared: 0])
        let administrator = Caller(context: cloud.cloud.context, principal: .administrator(actingAs: nil))
        _ = try await cloud.upload(Self.bytes(4), for: "a", in: .public, as: administrator)
    }
}
