import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What comes of receipts.
@Suite struct AssetSavingTests {
    private let bytes = Array("the bytes of a picture".utf8)

    @Test("Case 152: upload, save with the receipt, fetch", arguments: Engine.allCases)
    func case152(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine)
        let asset = try await cloud.upload(bytes, for: "p")
        #expect(asset.size == Int64(bytes.count))
        #expect(Base64.decode(asset.fileChecksum)?.count == 21)
        #expect(asset.receipt != nil && asset.referenceChecksum != nil && asset.wrappingKey != nil)
        let saved = try #require(try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))]).saved)
        let stored = try #require(saved.fields["image"]?.value.assets.first)
        #expect(stored == Asset(fileChecksum: asset.fileChecksum, size: asset.size))
        #expect(try await cloud.fetch(try cloud.address(of: saved)) == bytes)
    }

    @Test("Case 152: places come in the order asked, and say what is wrong with single ones")
    func order() async throws {
        let cloud = try await AssetCloud()
        let items = [
            UploadAssetsRequest.Item(recordName: "a", recordType: "Photo", fieldName: "x"),
            UploadAssetsRequest.Item(recordName: "b", fieldName: "y"),
            UploadAssetsRequest.Item(recordType: "Photo", fieldName: "z"),
            UploadAssetsRequest.Item(recordName: "c", recordType: "Photo", fieldName: "_z"),
        ]
        let results = try await cloud.service.makeUploadPlaces(
            UploadAssetsRequest(items: items), in: .private, as: cloud.cloud.user(), addressing: { $0 })
        guard results.count == 4, case .place("a", "x", _) = results[0],
            case .failed("b", "y", let missing) = results[1], case .place(let made, "z", _) = results[2],
            case .failed("c", "_z", let reserved) = results[3]
        else {
            Issue.record("\(results)")
            return
        }
        #expect(missing.code == .badRequest && missing.reason.contains("recordType"))
        #expect(reserved.code == .accessDenied)
        #expect(made.count == 36)
    }

    @Test("Case 153: an upload for the default zone is not good for a custom one")
    func case153() async throws {
        let cloud = try await AssetCloud()
        try await cloud.cloud.makeZone("Z")
        let asset = try await cloud.upload(bytes, for: "p")
        let error = try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))], zone: "Z").error
        #expect(error?.code == .badRequest)
        #expect(error?.reason == "asset has no valid receipt: field 'image' in record 'Photo'")
        #expect(try await cloud.cloud.lookup(["p"], zone: "Z").first?.error?.code == .notFound)
    }

    @Test("Case 153: nor is one for a zone that was deleted and made again")
    func recreatedZone() async throws {
        let cloud = try await AssetCloud()
        try await cloud.cloud.makeZone("Z")
        let asset = try await cloud.upload(bytes, for: "p", zone: "Z")
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "Z"))], in: .private, as: cloud.cloud.user())
        try await cloud.cloud.makeZone("Z")
        let error = try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))], zone: "Z").error
        #expect(error?.code == .badRequest)
    }

    @Test("Case 154: a save that does not touch the asset keeps it, a replacement changes the checksum")
    func case154() async throws {
        let cloud = try await AssetCloud()
        let first = try await cloud.store(bytes, in: "p")
        let touched = try #require(
            try await cloud.save(.update, "p", tag: first.recordChangeTag, ["title": .text("t")]).saved)
        #expect(touched.fields["image"] == first.fields["image"])
        #expect(try await cloud.fetch(try cloud.address(of: touched)) == bytes)
        let second = try await cloud.store([1, 2, 3], in: "p")
        #expect(second.fields["image"] != first.fields["image"])
        #expect(try await cloud.fetch(try cloud.address(of: second)) == [1, 2, 3])
    }

    @Test(
        "Case 154: the asset as an answer showed it can be sent back",
        arguments: [RecordOperation.Kind.update, .replace])
    func echo(kind: RecordOperation.Kind) async throws {
        let cloud = try await AssetCloud()
        let record = try await cloud.store(bytes, in: "p")
        var asset = try #require(record.fields["image"]?.value.assets.first)
        asset.downloadURL = try cloud.address(of: record)
        let again = try await cloud.save(
            kind, "p", tag: record.recordChangeTag, ["image": .scalar(.asset(asset)), "title": .text("t")])
        #expect(again.saved?.fields["image"] == record.fields["image"])
        let elsewhere = try await cloud.save(.create, "q", ["image": .scalar(.asset(asset))])
        #expect(elsewhere.error?.code == .badRequest)
    }

    @Test("Case 61: lists of assets")
    func lists() async throws {
        let cloud = try await AssetCloud()
        var assets: [InputValue] = []
        for byte in UInt8(1)...3 { assets.append(.scalar(.asset(try await cloud.upload([byte], for: "p")))) }
        let saved = try #require(try await cloud.save(.create, "p", ["image": .list(assets)]).saved)
        #expect(saved.fields["image"]?.value.assets.count == 3)
        let kept = try #require(saved.fields["image"]?.value.assets)
        let fewer = try await cloud.save(
            .update, "p", tag: saved.recordChangeTag,
            ["image": .list([.scalar(.asset(kept[2])), .scalar(.asset(kept[0]))])])
        #expect(fewer.saved?.fields["image"]?.value.assets == [kept[2], kept[0]])
    }

    /// Places that a receipt for field `image` of record `p` of type `Photo` is not good for.
    @Test(
        "Threat 47: a receipt is good for nothing else",
        arguments: [
            ("q", "Photo", "image", Character("a"), DatabaseScope.private), ("p", "Note", "image", "a", .private),
            ("p", "Photo", "other", "a", .private), ("p", "Photo", "image", "b", .private),
            ("p", "Photo", "image", "a", .public),
        ])
    func bound(record: String, type: String, field: String, user: Character, scope: DatabaseScope) async throws {
        let cloud = try await AssetCloud()
        let asset = try await cloud.upload(bytes, for: "p")
        let caller = cloud.cloud.user(user)
        let error = try await cloud.save(
            .create, record, type: type, [field: .scalar(.asset(asset))], in: scope, as: caller
        ).error
        #expect(error?.code == .badRequest && error?.reason.hasPrefix("asset has no valid receipt") == true)
        #expect(try await cloud.cloud.lookup([record], in: scope, as: caller).first?.error?.code == .notFound)
    }

    @Test("Threat 47: a receipt is good once; the same save again is no harm")
    func replay() async throws {
        let cloud = try await AssetCloud()
        let asset = try await cloud.upload(bytes, for: "p")
        let fields: [String: InputValue] = ["image": .scalar(.asset(asset))]
        #expect(try await cloud.save(.forceReplace, "p", fields).saved != nil)
        #expect(try await cloud.save(.forceReplace, "p", fields).saved != nil)
        #expect(try await cloud.save(.forceReplace, "p", [:]).saved != nil)
        #expect(try await cloud.save(.forceReplace, "p", fields).error?.code == .badRequest)
    }

    @Test("Threat 47: a refused save does not use the receipt up")
    func refusedSave() async throws {
        let cloud = try await AssetCloud()
        #expect(try await cloud.save(.create, "p", [:]).saved != nil)
        let asset = try await cloud.upload(bytes, for: "p")
        let fields: [String: InputValue] = ["image": .scalar(.asset(asset))]
        #expect(try await cloud.save(.create, "p", fields).error?.code == .exists)
        #expect(try await cloud.save(.forceUpdate, "p", fields).saved != nil)
    }

    @Test("Threat 47: wrong checksums, sizes and forged receipts are refused", arguments: 0..<40)
    func forged(bit: Int) async throws {
        let cloud = try await AssetCloud()
        var asset = try await cloud.upload(bytes, for: "p")
        switch bit {
        case 0: asset.size += 1
        case 1: asset.fileChecksum = AssetID(sha256: SHA256.hash([1])).fileChecksum
        case 2: asset.receipt = nil
        case 3: asset.receipt = ""
        case 4: asset.receipt = "../../etc/passwd"
        default:
            var sealed = try #require(asset.receipt.flatMap { Base64.decode($0) })
            sealed[bit * sealed.count / 40] ^= UInt8(1 << (bit % 8))
            asset.receipt = Base64.string(sealed)
        }
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))]).error?.code == .badRequest)
        #expect(try await cloud.cloud.lookup(["p"]).first?.error?.code == .notFound)
    }

    @Test("A receipt is good for its time and no longer")
    func expiry() async throws {
        let cloud = try await AssetCloud()
        let (first, second) = (try await cloud.upload(bytes, for: "p"), try await cloud.upload([1], for: "q"))
        cloud.advance(milliseconds: AssetLimits().uploadLifetime - 1)
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(first))]).saved != nil)
        cloud.advance(milliseconds: 1)
        let error = try await cloud.save(.create, "q", ["image": .scalar(.asset(second))]).error
        #expect(error?.reason == "the receipt has expired; upload the asset again: field 'image' in record 'Photo'")
    }

    @Test("An upload for a record without a name is good for any record of that type and field")
    func unnamed() async throws {
        let cloud = try await AssetCloud()
        let asset = try await cloud.upload(bytes, for: nil)
        #expect(try await cloud.save(.create, "x", type: "Note", ["image": .scalar(.asset(asset))]).error != nil)
        #expect(try await cloud.save(.create, "x", ["image": .scalar(.asset(asset))]).saved != nil)
        #expect(try await cloud.save(.create, "y", ["image": .scalar(.asset(asset))]).error != nil)
    }

    @Test("Case 17: a field of another type takes no asset, and none is uploaded for it")
    func wrongType() async throws {
        let cloud = try await AssetCloud()
        #expect(try await cloud.save(.create, "p", ["image": .text("AA==")]).saved != nil)
        let error = await refusal { try await cloud.place("p") }
        #expect(
            error?.reason
                == "invalid attempt to set value type ASSETID for field 'image' in record 'Photo', defined to be: STRING"
        )
    }

    @Test("In production only fields of the schema take uploads")
    func production() async throws {
        let cloud = try await AssetCloud(environment: .production)
        let error = await refusal { try await cloud.place("p") }
        #expect(error?.code == .badRequest && error?.reason.contains("production schema") == true)
    }

    @Test("Threat 14: nobody gets a place where they may not save")
    func unauthorized() async throws {
        let cloud = try await AssetCloud()
        #expect(
            await refusal { try await cloud.place("p", as: cloud.cloud.anonymous) }?.code == .authenticationRequired)
        let error = await refusal { try await cloud.place("p", in: .public, as: cloud.cloud.anonymous) }
        #expect(error?.code == .authenticationRequired)
        _ = try await cloud.save(.create, "p", [:], in: .public)
        let other = await refusal { try await cloud.place("p", in: .public, as: cloud.cloud.user("b")) }
        #expect(other?.code == .accessDenied)
        #expect(await refusal { try await cloud.place("p", zone: "none") }?.code == .zoneNotFound)
    }
}
