import StratusCloudModel
import StratusCloudStore
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

    /// The stored sum of the account's uploads, and what counting them gives.
    private func sums(_ cloud: AssetCloud) async throws -> (stored: PendingUploads?, counted: PendingUploads) {
        let account = cloud.cloud.user().authorRecordName
        return try await cloud.cloud.store.read(.privateDatabase(of: account, in: cloud.cloud.context)) { transaction in
            var counted = PendingUploads()
            for entry in try transaction.entries(in: Keyspace.assetUploads(of: account), limit: .max) {
                counted.count += 1
                counted.bytes += try StoredUpload(stored: entry.value).announced
            }
            return (try transaction.value(at: Keyspace.pendingUploads(of: account)), counted)
        }
    }

    @Test("The sum of an account's uploads follows each of them")
    func theSumFollows() async throws {
        let limits = AssetLimits()
        let cloud = try await AssetCloud(limits: limits)
        func expectSum(_ count: Int64, _ bytes: Int64) async throws {
            let (stored, counted) = try await sums(cloud)
            #expect(stored == counted && counted.count == count && counted.bytes == bytes)
        }
        let asset = try await cloud.upload([1, 2, 3], for: "p")
        _ = try await cloud.upload([4, 5], for: "q")
        try await expectSum(2, 5)
        // One whose size is not known counts as the largest until its end, and one that begins again counts once.
        let (_, ticket) = try await cloud.place("r")
        _ = try await cloud.send([6], to: ticket, .whole(length: nil))
        _ = try await cloud.send([6, 7], to: ticket, .whole(length: 2))
        try await expectSum(3, 7)
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))]).saved != nil)
        try await expectSum(2, 4)
        let again = RereferenceAssetsRequest(items: [.init(recordName: "p", fieldName: "image")])
        _ = try await cloud.service.rereferenceAssets(again, in: .private, as: cloud.cloud.user())
        try await expectSum(3, 4)
        cloud.advance(milliseconds: limits.uploadLifetime)
        try await cloud.service.collectAssets()
        try await expectSum(0, 0)
    }

    @Test(
        "Without a sum, as in data of earlier versions, and with a wrong one, uploads are counted",
        arguments: [true, false])
    func theSumIsCounted(isAbsent: Bool) async throws {
        var limits = AssetLimits()
        limits.pendingUploads = 2
        let cloud = try await AssetCloud(limits: limits)
        _ = try await cloud.upload([1], for: "p")
        let account = cloud.cloud.user().authorRecordName
        try await cloud.cloud.store.write(.privateDatabase(of: account, in: cloud.cloud.context)) { transaction in
            var wrong = PendingUploads()
            wrong.count = 100
            if isAbsent {
                transaction.clear(Keyspace.pendingUploads(of: account))
            } else {
                transaction.set(Keyspace.pendingUploads(of: account), wrong)
            }
        }
        _ = try await cloud.upload([2], for: "q")
        #expect(await refusal { try await cloud.upload([3], for: "r") }?.code == .quotaExceeded)
        let (stored, counted) = try await sums(cloud)
        #expect(stored == counted && counted.count == 2)
    }
}
