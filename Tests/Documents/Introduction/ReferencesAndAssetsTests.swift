import CloudKit
import StratusTesting
import Testing

/// The introduction's sections on references and assets.
@Suite struct ReferencesAndAssetsTests {
    private let cloud: LocalCloud
    private let database: CKDatabase

    init() async throws {
        cloud = try await LocalCloud()
        database = cloud.account("ada").container.privateCloudDatabase
    }

    private func child(_ name: String, of reference: CKRecord.Reference) -> CKRecord {
        let child = CKRecord(recordType: "Child", recordID: CKRecord.ID(recordName: name))
        child["parentRecord"] = reference
        return child
    }

    @Test("Deleting a record deletes the children whose references say so, and theirs")
    func cascade() async throws {
        let parent = try await database.save(referenceItem("Parent", recordName: "parent"))
        let first = child("child", of: CKRecord.Reference(record: parent, action: .deleteSelf))
        try await database.save(first)
        try await database.save(child("grandchild", of: CKRecord.Reference(record: first, action: .deleteSelf)))
        try await database.save(child("independent", of: CKRecord.Reference(record: parent, action: .none)))
        try await database.deleteRecord(withID: parent.recordID)
        #expect(try await cloud.records(of: cloud.account("ada")).map(\.recordID.recordName) == ["independent"])
    }

    @Test("A reference from an identifier may point at a record that does not exist")
    func danglingReferences() async throws {
        let nowhere = CKRecord.ID(recordName: "nowhere")
        let saved = try await database.save(child("a", of: CKRecord.Reference(recordID: nowhere, action: .none)))
        let target = try #require((saved["parentRecord"] as? CKRecord.Reference)?.recordID)
        #expect(target == nowhere)
        #expect(await failure { _ = try await database.record(for: target) }?.code == .unknownItem)
    }

    @Test("Children are found by a query for their back reference")
    func backReferences() async throws {
        let parent = try await database.save(referenceItem("Parent", recordName: "parent"))
        for name in ["a", "b"] {
            try await database.save(child(name, of: CKRecord.Reference(record: parent, action: .deleteSelf)))
        }
        let query = CKQuery(recordType: "Child", predicate: NSPredicate(format: "parentRecord == %@", parent))
        let found = try await database.records(matching: query).matchResults.map { $0.0.recordName }
        #expect(found.sorted() == ["a", "b"])
    }

    @Test("An asset is a file on both sides, and goes with the record that owns it")
    func assets() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".mov")
        let movie = Data(repeating: 7, count: 300_000)
        try movie.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let record = referenceItem("Movie", recordName: "movie")
        record["file"] = CKAsset(fileURL: file)
        try await database.save(record)
        #expect(FileManager.default.fileExists(atPath: file.path))
        let fetched = try await database.record(for: record.recordID)
        let copy = try #require((fetched["file"] as? CKAsset)?.fileURL)
        #expect(copy != file)
        #expect(try Data(contentsOf: copy) == movie)
        try await database.deleteRecord(withID: record.recordID)
        #expect(await failure { _ = try await database.record(for: record.recordID) }?.code == .unknownItem)
    }
}
