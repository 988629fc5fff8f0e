import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Who gets bytes out, and until when (threats 43 and 47).
@Suite struct AssetDownloadTests {
    private let bytes = Array("content".utf8)

    @Test("Threat 47: an address is good for its time")
    func expiry() async throws {
        let cloud = try await AssetCloud()
        let address = try cloud.address(of: try await cloud.store(bytes, in: "p"))
        cloud.advance(milliseconds: AssetLimits().downloadAddressLifetime - 1)
        #expect(try await cloud.fetch(address) == bytes)
        cloud.advance(milliseconds: 1)
        let error = await refusal { try await cloud.fetch(address) }
        #expect(error?.code == .accessDenied && error?.reason.contains("expired") == true)
    }

    @Test("Threat 47: a forged address opens nothing")
    func forged() async throws {
        let cloud = try await AssetCloud()
        let address = try cloud.address(of: try await cloud.store(bytes, in: "p"))
        for index in address.indices {
            var forged = address
            forged.replaceSubrange(index...index, with: address[index] == "A" ? "B" : "A")
            guard TicketText.decode(forged) != TicketText.decode(address) else { continue }
            #expect(await refusal { try await cloud.fetch(forged) }?.code == .accessDenied)
        }
        let (_, upload) = try await cloud.place("p")
        for nonsense in ["", upload, "../../../etc/passwd"] {
            let error = await refusal { try await cloud.fetch(nonsense) }
            #expect(error?.reason == "the download address was not issued by this server")
        }
        #expect(throws: CloudError.self) { try cloud.service.uploadTicket(address, continuing: true) }
    }

    @Test("Threat 47: bytes that the record has no more are not given")
    func replaced() async throws {
        let cloud = try await AssetCloud()
        let address = try cloud.address(of: try await cloud.store(bytes, in: "p"))
        try await cloud.store([1], in: "p")
        #expect(await refusal { try await cloud.fetch(address) }?.code == .notFound)
        try await cloud.store(bytes, in: "p")
        #expect(try await cloud.fetch(address) == bytes)
        _ = try await cloud.save(.forceDelete, "p", [:])
        #expect(await refusal { try await cloud.fetch(address) }?.code == .notFound)
    }

    @Test("Threat 43: an address ends with the right to read", arguments: Engine.allCases)
    func revoked(engine: Engine) async throws {
        let cloud = try await AssetCloud(engine)
        let asset = try await cloud.upload(bytes, for: "p", in: .public)
        let fields: [String: InputValue] = ["image": .scalar(.asset(asset))]
        let record = try #require(try await cloud.save(.create, "p", fields, in: .public).saved)
        let (own, other) = (cloud.cloud.user(), cloud.cloud.user("b"))
        let addresses = try [own, other, cloud.cloud.anonymous].map {
            try cloud.address(of: record, in: .public, for: $0)
        }
        for address in addresses { #expect(try await cloud.fetch(address) == bytes) }
        try await cloud.service.applySchema(
            """
            DEFINE SCHEMA RECORD TYPE Photo (image ASSET, GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud");
            """, to: cloud.cloud.context)
        #expect(try await cloud.fetch(addresses[0]) == bytes)
        for address in addresses[1...] {
            #expect(await refusal { try await cloud.fetch(address) }?.code == .accessDenied)
        }
    }

    @Test("An address is not longer than a request's target may be")
    func length() async throws {
        let cloud = try await AssetCloud()
        let long = String(repeating: "n", count: 255)
        let record = Record(
            recordName: long, recordType: long, zoneID: ZoneID(zoneName: long, ownerRecordName: long),
            recordChangeTag: "1", fields: ["f": Field(.scalar(.asset(Asset(fileChecksum: "c", size: 1))))],
            created: RecordStamp(timestamp: 0, userRecordName: long),
            modified: RecordStamp(timestamp: 0, userRecordName: long))
        let shown = cloud.service.answered(
            Asset(fileChecksum: String(repeating: "c", count: 28), size: 1), of: long, in: record, .private,
            to: cloud.cloud.user(), addressing: { $0 })
        #expect((shown.downloadURL?.utf8.count ?? .max) < 3_000)
    }

    @Test("Answers in private databases carry the marks that clients want, public ones do not")
    func marks() async throws {
        let cloud = try await AssetCloud()
        let record = try await cloud.store(bytes, in: "p")
        let asset = try #require(record.fields["image"]?.value.assets.first)
        func shown(_ scope: DatabaseScope) -> Asset {
            cloud.service.answered(asset, of: "image", in: record, scope, to: cloud.cloud.user(), addressing: { $0 })
        }
        #expect(Base64.decode(shown(.private).referenceChecksum ?? "")?.count == 21)
        #expect(Base64.decode(shown(.private).wrappingKey ?? "")?.count == 16)
        #expect(shown(.public).referenceChecksum == nil && shown(.public).wrappingKey == nil)
        #expect(shown(.private).receipt == nil)
    }
}
