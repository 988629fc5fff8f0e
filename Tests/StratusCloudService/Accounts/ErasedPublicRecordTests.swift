import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What is left in the public database of a person who is erased.
@Suite struct ErasedPublicRecordTests {
    private static let email = "ada@example.org"
    private let assets: AssetCloud
    private let ada: Caller
    private var cloud: TestCloud { assets.cloud }

    init() async throws {
        assets = try await AssetCloud()
        let service = assets.service
        try await service.createAccount(email: Self.email, password: "correct horse battery")
        let name = try await service.userRecordName(email: Self.email, in: assets.cloud.context)
        ada = Caller(context: assets.cloud.context, principal: .user(name))
    }

    private var administrator: Caller {
        Caller(context: cloud.context, principal: .administrator(actingAs: nil))
    }

    @Test(arguments: [false, true]) func whatTheirOwnRecordHasAndHoldsIsLetGo(deletes: Bool) async throws {
        let name = ada.authorRecordName
        _ = try await cloud.modify([.make(.create, "held")], in: .public, as: ada)
        let asset = try await assets.upload([1, 2, 3], for: name, type: "Users", in: .public, as: ada)
        let holder = RecordOperation(
            .forceUpdate,
            RecordInput(
                recordName: name, recordType: "Users",
                fields: [
                    ("image", FieldInput(Field(.scalar(.asset(asset))))),
                    (
                        "to",
                        FieldInput(Field(.scalar(.reference(Reference(recordName: "held", action: .validate)))))
                    ),
                ]))
        let saved = try await cloud.modify([holder], in: .public, as: ada)
        try #require(saved.first?.saved != nil, "\(saved)")
        let report = try await assets.service.eraseAccount(email: Self.email, deletingPublicRecords: deletes)
        #expect(report.keptRecords.isEmpty && report.publicRecords == (deletes ? 1 : 0))
        let id = try #require(AssetID(fileChecksum: asset.fileChecksum))
        let blob: StoredBlob? = try await cloud.store.read(.publicDatabase(of: cloud.context)) {
            try $0.value(at: Keyspace.assetBlob(id))
        }
        #expect(blob?.references == 0, "nobody needs it any more")
        let removal = try await cloud.modify([.remove("held")], in: .public, as: administrator)
        #expect(removal.first?.isDeleted == true, "\(removal)")
        let check = try await assets.service.checkConsistency(repairing: false)
        #expect(check.problems == 0, "\(check.findings)")
    }

    @Test func whatALaterRecordOfTheirsHoldsGoesToo() async throws {
        let limit = ModelLimits.operationsPerRequest
        // Where everybody may change records, everybody's references hold them.
        try await cloud.service.applySchema(
            """
            DEFINE SCHEMA RECORD TYPE Link (to LIST<REFERENCE>,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud");
            """, to: cloud.context)
        _ = try await cloud.modify([.link("a"), .link("b")], in: .public, as: ada)
        let fillers = (0..<limit).map { "m\($0)" }
        for start in stride(from: 0, to: limit, by: 100) {
            let names = fillers[start..<min(start + 100, limit)]
            _ = try await cloud.modify(names.map { .link($0) }, in: .public, as: ada)
        }
        _ = try await cloud.modify([.link("z", .validate, to: ["a"])], in: .public, as: ada)
        let other = try await cloud.modify([.link("others", .validate, to: ["b"])], in: .public)
        try #require(other.first?.saved != nil)
        let report = try await assets.service.eraseAccount(email: Self.email, deletingPublicRecords: true)
        #expect(report.keptRecords == ["b"] && report.publicRecords == limit + 2, "\(report)")
        let left = try await cloud.lookup(["a", "b", "z", "others", "m0"], in: .public)
        #expect(left.compactMap(\.saved?.recordName) == ["b", "others"])
        #expect(try await assets.service.checkConsistency(repairing: false).problems == 0)
    }
}
