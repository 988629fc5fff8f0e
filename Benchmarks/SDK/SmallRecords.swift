import CloudKit

/// Notes as an app would have them: some 200 bytes of JSON each.
enum SmallRecords {
    static let count = 10_000
    /// Records of one operation: as many as CloudKit takes.
    static let batch = 400
    static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    static func make() -> [CKRecord] { (0..<count).map { record($0) } }

    static func id(_ number: Int) -> CKRecord.ID { CKRecord.ID(recordName: "note-\(number)", zoneID: zoneID) }

    static func record(_ number: Int) -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: id(number))
        record["title"] = "Note \(number)"
        record["text"] = "What is to be remembered of the matter"
        record["number"] = number
        record["rating"] = Double(number) / 3
        record["edited"] = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
        return record
    }

    static func save(_ records: [CKRecord], in database: CKDatabase) async throws {
        for start in stride(from: 0, to: records.count, by: batch) {
            let part = Array(records[start..<min(start + batch, records.count)])
            let results = try await database.modifyRecords(
                saving: part, deleting: [], savePolicy: .ifServerRecordUnchanged)
            for (_, result) in results.saveResults { _ = try result.get() }
        }
    }

    static func fetch(_ recordIDs: [CKRecord.ID], from database: CKDatabase) async throws {
        for start in stride(from: 0, to: recordIDs.count, by: batch) {
            let part = Array(recordIDs[start..<min(start + batch, recordIDs.count)])
            for (_, result) in try await database.records(for: part) {
                guard try result.get()["number"] as? Int != nil else {
                    throw BenchmarkError("a record came without its number")
                }
            }
        }
    }
}
