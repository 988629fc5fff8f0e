import CloudKit
import Foundation
import StratusCoreData
import StratusSeeds
import StratusTesting
import Testing

@testable import StratusCoreDataMirroring

/// Objects as records: each line of the table of the mapping, in both directions.
@Suite struct MappingTests {
    private let model: MirroredModel
    private let context: NSManagedObjectContext
    private let staging = AssetStaging(
        FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString))

    init() throws {
        let posts = MappedModel.posts()
        model = try MirroredModel(posts, configuration: nil, scope: .private)
        context = try MappedModel.context(posts)
    }

    private func record(_ entity: String) throws -> CKRecord {
        try model.record(CKRecord.ID(recordName: "one", zoneID: .mirroredHome), of: entity)
    }

    private func insert(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    private func export(_ object: NSManagedObject) throws -> CKRecord {
        let entity = try #require(model.entity(named: object.entity.name ?? ""))
        let record = try record(entity.name)
        try model.fill(
            record, with: MirroredRow(entity: entity.name, values: try entity.values(of: object)), staging: staging)
        return record
    }

    private func take(_ record: CKRecord, into object: NSManagedObject) throws {
        let row = try #require(try model.row(of: record))
        for field in try #require(model.entity(named: row.entity)).fields {
            try field.set(row.values[field.name], of: object)
        }
    }

    @Test func eachTypeOfAttributeHasItsField() throws {
        try context.performAndWait {
            let post = insert("Post")
            let identifier = UUID()
            post.setValue(Int16(-3), forKey: "small")
            post.setValue(Int32(70_000), forKey: "medium")
            post.setValue(Int64.max, forKey: "large")
            post.setValue(true, forKey: "flag")
            post.setValue(1.25, forKey: "double")
            post.setValue(Float(0.5), forKey: "float")
            post.setValue(NSDecimalNumber(string: "12.34"), forKey: "decimal")
            post.setValue(Date(timeIntervalSince1970: 1.5), forKey: "date")
            post.setValue("text", forKey: "text")
            post.setValue(Data([1, 2]), forKey: "data")
            post.setValue(["a", "b"], forKey: "words")
            post.setValue(identifier, forKey: "identifier")
            post.setValue(URL(string: "https://example.org/a"), forKey: "page")
            post.setValue("passing", forKey: "passing")
            post.setValue(["city": "Turin", "floor": 3], forKey: "place")
            let record = try export(post)

            #expect(record.recordType == "CD_Post" && record["CD_entityName"] == "Post")
            #expect(record["CD_small"] as? Int64 == -3 && record["CD_medium"] as? Int64 == 70_000)
            #expect(record["CD_large"] as? Int64 == .max && record["CD_flag"] as? Int64 == 1)
            #expect(record["CD_double"] as? Double == 1.25 && record["CD_float"] as? Double == 0.5)
            #expect(record["CD_decimal"] as? Double == 12.34)
            #expect(record["CD_date"] as? Date == Date(timeIntervalSince1970: 1.5))
            #expect(record["CD_text"] as? String == "text" && record["CD_data"] as? Data == Data([1, 2]))
            #expect(record["CD_words"] is Data && record["CD_identifier"] as? String == identifier.uuidString)
            #expect(record["CD_page"] as? String == "https://example.org/a")
            #expect(record["CD_place_city"] as? String == "Turin" && record["CD_place_floor"] as? Int64 == 3)
            #expect(record["CD_passing"] == nil)

            let other = insert("Post")
            try take(record, into: other)
            for (name, _) in MappedModel.attributes {
                #expect(other.value(forKey: name) as? NSObject == post.value(forKey: name) as? NSObject, "\(name)")
            }
            #expect(other.value(forKey: "place") as? NSDictionary == ["city": "Turin", "floor": 3])
            // Nothing differs, so nothing is sent.
            let again = try export(other)
            #expect(Set(again.allKeys()) == Set(record.allKeys()))
        }
    }

    @Test func recordsOfAppleAreRead() throws {
        let record = CKRecord(recordType: "CD_Post", recordID: CKRecord.ID(recordName: "A-1", zoneID: .mirroredHome))
        record["CD_entityName"] = "Article"
        record["CD_edition"] = 2
        record["CD_text"] = "from a Mac"
        record["CD_answered"] = "B-2"
        record["CD_cover"] = ""
        record["CD_later"] = "of a later version"
        record["CD_moveReceipt"] = Data([1])
        let row = try #require(try model.row(of: record))
        #expect(row.entity == "Article" && row.references == ["answered": "B-2"])
        #expect(row.values == ["edition": .int(2), "text": .string("from a Mac")])
        record["CD_entityName"] = "Unknown"
        #expect(try model.row(of: record) == nil)
        let other = CKRecord(recordType: "CD_Tag", recordID: record.recordID)
        other["CD_entityName"] = "Post"
        #expect(try model.row(of: other) == nil)
    }

    @Test func fieldsOfOtherTypesAreNamed() throws {
        for (key, value) in [("CD_text", 1 as any CKRecordValueProtocol), ("CD_large", "one"), ("CD_date", 5)] {
            let record = try record("Post")
            record[key] = value
            #expect { try model.row(of: record) } throws: { $0.localizedDescription.contains("'\(key)'") }
        }
        try context.performAndWait {
            for (key, value) in [
                ("CD_small", Int64(40_000) as any CKRecordValueProtocol), ("CD_identifier", "no UUID"),
            ] {
                let record = try record("Post")
                record[key] = value
                let post = insert("Post")
                #expect { try take(record, into: post) } throws: { $0.localizedDescription.contains("'\(key)'") }
            }
        }
    }

    @Test func numbersThatDoNotFitAreNamed() throws {
        try context.performAndWait {
            for number in [Double.nan, -.infinity] {
                let post = insert("Post")
                post.setValue(number, forKey: "double")
                #expect { try export(post) } throws: { $0.localizedDescription.contains("'double'") }
            }
            for (key, number) in [("CD_large", 1.5), ("CD_decimal", 1e200)] {
                let record = try record("Post")
                record[key] = number
                let post = insert("Post")
                #expect { try take(record, into: post) } throws: { $0.localizedDescription.contains("'\(key)'") }
            }
            let record = try record("Post")
            record["CD_large"] = Int64.max
            record["CD_medium"] = 3.0
            let post = insert("Post")
            try take(record, into: post)
            #expect(post.value(forKey: "large") as? Int64 == .max && post.value(forKey: "medium") as? Int32 == 3)
        }
    }

    @Test func onlyFieldsThatDifferAreSet() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").device("one").container.privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneID: .mirroredHome))
        #expect(zone.zoneID.zoneName == CKRecordZone.ID.mirroredHome.zoneName)
        var row = MirroredRow(entity: "Post", values: ["text": .string("a"), "secret": .string("s"), "large": .int(1)])
        row.values["secretNumber"] = .int(9)
        row.references = ["answered": "x"]
        let record = try record("Post")
        try model.fill(record, with: row, staging: staging)
        let saved = try await database.save(record)
        #expect(try model.row(of: saved) == row)
        #expect(saved["CD_secret"] == nil && saved.encryptedValues["CD_secret"] == "s")
        try model.fill(saved, with: row, staging: staging)
        #expect(saved.changedKeys().isEmpty)
        row.values["text"] = nil
        row.references = [:]
        try model.fill(saved, with: row, staging: staging)
        #expect(Set(saved.changedKeys()) == ["CD_text", "CD_answered"])
        let again = try await database.save(saved)
        #expect(try model.row(of: try await database.record(for: again.recordID)) == row)
    }

    @Test func largeValuesAreAssets() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").device("one").container.privateCloudDatabase
        _ = try await database.save(CKRecordZone(zoneID: .mirroredHome))
        let half = RecordOverflow.inlineSize / 2
        var row = MirroredRow(
            entity: "Post",
            values: [
                "text": .string(String(repeating: "é", count: half / 2)), "data": .bytes(Data(count: half)),
            ])
        let record = try record("Post")
        try model.fill(record, with: row, staging: staging)
        #expect(record["CD_text_ckAsset"] == nil && record["CD_data_ckAsset"] == nil)
        row.values["data"] = .bytes(Data(count: half + 1))
        try model.fill(record, with: row, staging: staging)
        #expect(record["CD_data_ckAsset"] is CKAsset && record["CD_data"] as? Data == Data())
        #expect(record["CD_text_ckAsset"] == nil)
        row.values["secret"] = .string(String(repeating: "s", count: 2 * half + 1))
        try model.fill(record, with: row, staging: staging)
        _ = try await database.save(record)
        let fetched = try await database.record(for: record.recordID)
        #expect(fetched["CD_secret_ckAsset"] is CKAsset && fetched.encryptedValues["CD_secret"] == "")
        #expect(try model.row(of: fetched) == row)

        // Values that the server has are not sent again, and an asset goes with its value.
        try model.fill(fetched, with: row, unchanged: ["data", "secret", "text"], staging: staging)
        #expect(fetched.changedKeys().isEmpty && fetched.encryptedValues.changedKeys().isEmpty)
        row.values["secret"] = .string("short")
        row.values["data"] = nil
        try model.fill(fetched, with: row, staging: staging)
        #expect(fetched["CD_secret_ckAsset"] == nil && fetched["CD_data_ckAsset"] == nil)
        let saved = try await database.save(fetched)
        #expect(try model.row(of: saved) == row)
    }

    @Test func randomRowsAreReadAsTheyWereWritten() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<300 {
            let entity = try #require(model.entity(named: random.chance(50) ? "Post" : "Article"))
            var (row, former) = (randomRow(entity, &random), randomRow(entity, &random))
            former.entity = entity.name
            let record = try record(entity.name)
            try model.fill(record, with: former, staging: staging)
            #expect(try model.row(of: record) == former, "\(random)")
            try model.fill(record, with: row, staging: staging)
            row.entity = entity.name
            #expect(try model.row(of: record) == row, "\(random)")
        }
    }

    private func randomRow(_ entity: MirroredEntity, _ random: inout SeededRandom) -> MirroredRow {
        var row = MirroredRow(entity: entity.name)
        for field in entity.fields where random.chance(60) {
            row.values[field.name] =
                switch field.type {
                case .stringAttributeType, .UUIDAttributeType, .URIAttributeType: .string("t\(random.below(5))")
                case .binaryDataAttributeType, .transformableAttributeType: .bytes(Data(count: random.below(4)))
                case .dateAttributeType: .date(Date(timeIntervalSince1970: Double(random.below(9)) / 8))
                case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: .double(Double(random.below(9)))
                default: .int(Int64(random.below(3)))
                }
        }
        for reference in entity.references where random.chance(50) {
            row.references[reference.name] = "r\(random.below(3))"
        }
        return row
    }
}
