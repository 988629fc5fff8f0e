import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Each limit at its edge (threat 36).
@Suite struct AssetLimitTests {
    @Test("Threat 36: tokens and rereferenced assets of a request", arguments: [200, 201])
    func itemsPerRequest(count: Int) async throws {
        let cloud = try await AssetCloud()
        let caller = cloud.cloud.user()
        let tokens = UploadAssetsRequest(
            items: (0..<count).map { .init(recordName: "r\($0)", recordType: "Photo", fieldName: "f") })
        let places = await refusal {
            try await cloud.service.makeUploadPlaces(tokens, in: .private, as: caller, addressing: { $0 })
        }
        let assets = RereferenceAssetsRequest(items: (0..<count).map { .init(recordName: "r\($0)", fieldName: "f") })
        let receipts = await refusal { try await cloud.service.rereferenceAssets(assets, in: .private, as: caller) }
        for error in [places, receipts] {
            #expect(error?.code == (count > 200 ? .badRequest : nil))
            #expect(error.map { $0.reason.contains("(200)") } ?? true)
        }
    }

    @Test("Threat 36: bytes of an asset, stated or not", arguments: [100, 101], [true, false])
    func size(count: Int, isStated: Bool) async throws {
        var limits = AssetLimits()
        limits.assetSize = 100
        let cloud = try await AssetCloud(limits: limits)
        let (_, ticket) = try await cloud.place("p")
        let bytes = [UInt8](repeating: 1, count: count)
        let error = await refusal {
            try await cloud.send(bytes, to: ticket, .whole(length: isStated ? Int64(count) : nil))
        }
        #expect(error?.code == (count > 100 ? .badRequest : nil))
        #expect(error.map { $0.reason.contains("100") } ?? true)
    }

    @Test("Uploads that are not saved, each account by itself")
    func pendingUploads() async throws {
        var limits = AssetLimits()
        limits.pendingUploads = 2
        let cloud = try await AssetCloud(limits: limits)
        let asset = try await cloud.upload([1], for: "p")
        let record = try await cloud.store([2], in: "q")
        _ = try await cloud.upload([3], for: "r")
        let error = await refusal { try await cloud.upload([4], for: "s") }
        #expect(error?.code == .quotaExceeded && error?.reason.hasPrefix("2 uploads") == true)
        let again = RereferenceAssetsRequest(items: [.init(recordName: record.recordName, fieldName: "image")])
        guard
            case .failed(_, let refused)? = try await cloud.service.rereferenceAssets(
                again, in: .private, as: cloud.cloud.user()
            ).first
        else { throw Unexpected(description: "a receipt over the limit") }
        #expect(refused.code == .quotaExceeded)
        _ = try await cloud.upload([4], for: "s", as: cloud.cloud.user("b"))
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))]).saved != nil)
        _ = try await cloud.upload([4], for: "s")
    }

    @Test("In the public database, too, one account's uploads do not stop another's")
    func pendingUploadsInPublic() async throws {
        var limits = AssetLimits()
        limits.pendingUploads = 1
        let cloud = try await AssetCloud(limits: limits)
        _ = try await cloud.upload([1], for: "p", in: .public)
        #expect(await refusal { try await cloud.upload([2], for: "q", in: .public) }?.code == .quotaExceeded)
        _ = try await cloud.upload([2], for: "q", in: .public, as: cloud.cloud.user("b"))
    }

    @Test("Bytes of uploads that are not saved")
    func pendingBytes() async throws {
        var limits = AssetLimits()
        limits.pendingBytes = 10
        let cloud = try await AssetCloud(limits: limits)
        _ = try await cloud.upload([1, 2, 3, 4], for: "p")
        let error = await refusal { try await cloud.upload([1, 2, 3, 4, 5, 6, 7], for: "q") }
        #expect(error?.code == .quotaExceeded && error?.reason.contains("11 bytes") == true)
        _ = try await cloud.upload([1, 2, 3, 4, 5, 6], for: "q")
    }

    @Test("Uploads that nobody saves stop counting when their time is over")
    func pendingExpires() async throws {
        var limits = AssetLimits()
        limits.pendingUploads = 1
        let cloud = try await AssetCloud(limits: limits)
        _ = try await cloud.upload([1], for: "p")
        cloud.advance(milliseconds: limits.uploadLifetime)
        try await cloud.service.collectAssets()
        _ = try await cloud.upload([2], for: "q")
    }
}
