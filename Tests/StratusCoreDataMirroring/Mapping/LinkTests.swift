import CloudKit
import Foundation
import StratusCoreData
import Testing

@testable import StratusCoreDataMirroring

/// Pairs of many-to-many relationships as records.
@Suite struct LinkTests {
    private let model: MirroredModel

    init() throws { model = try MirroredModel(MappedModel.posts(), configuration: nil, scope: .private) }

    private func link(_ entity: String, _ name: String) throws -> MirroredLink {
        try #require(model.entity(named: entity)?.links.first { $0.name == name })
    }

    @Test func aPairHasBothNamesInTheOrderOfTheEntities() throws {
        let pair = try link("Tag", "posts").pair(from: "t", to: "p")
        #expect(try pair == link("Post", "tags").pair(from: "p", to: "t"))
        // An entity that inherits the relationship has the same pairs.
        #expect(try pair == link("Article", "tags").pair(from: "p", to: "t"))
        let record = pair.record(CKRecord.ID(recordName: pair.recordName))
        #expect(record.recordType == "CDMR" && UUID(uuidString: pair.recordName) != nil)
        #expect(record["CD_entityNames"] == "Post:Tag" && record["CD_recordNames"] == "p:t")
        #expect(record["CD_relationships"] == "tags:posts")
        #expect(LinkedPair(record, in: model) == pair)
        #expect(try pair.belongs(to: link("Post", "tags"), of: "p") && pair.firstRelationship == "tags")
        #expect(try !pair.belongs(to: link("Post", "related"), of: "p"))
        #expect(try pair.recordName != link("Post", "tags").pair(from: "p", to: "u").recordName)
        let link = try link("Post", "tags")
        #expect(link.pair(from: "a/b", to: "c").recordName != link.pair(from: "a", to: "b/c").recordName)
    }

    @Test func pairsOfOneEntityKeepTheirDirection() throws {
        let pair = try link("Post", "related").pair(from: "a", to: "b")
        #expect(try pair == link("Post", "relatedBy").pair(from: "b", to: "a"))
        #expect(try pair != link("Post", "related").pair(from: "b", to: "a"))
        let record = pair.record(CKRecord.ID(recordName: "x"))
        #expect(record["CD_relationships"] == "related:relatedBy" && record["CD_recordNames"] == "a:b")
        // Another order, as some other writer may choose it.
        record["CD_relationships"] = "relatedBy:related"
        record["CD_recordNames"] = "b:a"
        #expect(LinkedPair(record, in: model) == pair)
    }

    @Test(arguments: [
        ("CD_entityNames", "Post"), ("CD_entityNames", "Post:Nothing:Tag"), ("CD_relationships", "tags:nothing"),
        ("CD_recordNames", "p:"), ("CD_recordNames", "p:t:u"), ("CD_entityNames", "Nothing:Tag"),
    ])
    func otherTextsAreNoPairs(_ key: String, _ text: String) throws {
        let record = try link("Post", "tags").pair(from: "p", to: "t").record(CKRecord.ID(recordName: "x"))
        record[key] = text
        #expect(LinkedPair(record, in: model) == nil)
        record[key] = 1
        #expect(LinkedPair(record, in: model) == nil)
    }
}
