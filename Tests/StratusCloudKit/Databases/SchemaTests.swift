import CloudKit
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct SchemaTests {
    private func message(_ body: () async throws -> Void) async -> (code: CKError.Code?, text: String) {
        do {
            try await body()
            return (nil, "")
        } catch {
            return ((error as? CKError)?.code, error.localizedDescription)
        }
    }

    @Test("17: a value of another type", arguments: Door.allCases)
    func otherType(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let first = note("a", in: zoneID)
        first["cover"] = Data([1, 2, 3])
        try await app.database.save(first)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("a picture".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let wrong = note("b", in: zoneID)
        wrong["cover"] = CKAsset(fileURL: file)
        let sibling = note("c", in: zoneID)
        let results = try await app.database.modifyRecords(
            saving: [wrong, sibling], deleting: [], atomically: true
        ).saveResults
        #expect(results[wrong.recordID]?.code == .invalidArguments)
        #expect(results[sibling.recordID]?.code == .batchRequestFailed)
    }

    @Test("18, 21: in development the schema grows, but not from nothing", arguments: Door.allCases)
    func development(_ door: Door) async throws {
        let app = try await door.open()
        let record = CKRecord(recordType: "New")
        record["field"] = 1
        try await app.database.save(record)
        record["tags"] = [String]()
        let refusal = await message { try await app.database.save(record) }
        #expect(refusal.code == .invalidArguments && refusal.text.contains("cannot use an empty list"))
        record["tags"] = ["a"]
        try await app.database.save(record)
        record["tags"] = [String]()
        try await app.database.save(record)
    }

    @Test("22: names of the system", arguments: Door.allCases)
    func systemNames(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record["_owner"] = "me"
        let refusal = await message { try await app.database.save(record) }
        #expect(refusal.code == .permissionFailure && refusal.text.contains("system field '_owner'"))
    }

    @Test("19, 20, 67, 68: production knows what it was told", arguments: Door.allCases)
    func production(_ door: Door) async throws {
        let container = try await door.openProduction(
            "RECORD TYPE Note (title STRING QUERYABLE, text STRING, GRANT WRITE TO \"_creator\");")
        let database = container.privateCloudDatabase
        try await database.save(note("a"))
        let type = await message { try await database.save(CKRecord(recordType: "Other")) }
        #expect(type.code == .invalidArguments && type.text.contains("Cannot create new type Other in production"))
        let field = note("b")
        field["unknown"] = 1
        let refusal = await message { try await database.save(field) }
        #expect(refusal.code == .invalidArguments && refusal.text.contains("Cannot create or modify field 'unknown'"))

        let all = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let unqueryable = await message { _ = try await database.records(matching: all) }
        #expect(unqueryable.code == .invalidArguments)
        #expect(unqueryable.text.contains("Field 'recordName' is not marked queryable"))
        let sorted = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"))
        sorted.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: true)]
        let unsortable = await message { _ = try await database.records(matching: sorted) }
        #expect(unsortable.code == .invalidArguments && unsortable.text.contains("is not marked sortable"))
        sorted.sortDescriptors = nil
        #expect(try await database.records(matching: sorted).matchResults.count == 1)
    }
}
