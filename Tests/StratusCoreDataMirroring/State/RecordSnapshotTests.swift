import CloudKit
import Foundation
import StratusSeeds
import StratusTesting
import Testing

/// The form in which the tables keep records.
@Suite struct RecordSnapshotTests {
    private let database: CKDatabase
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    init() async throws {
        database = try await LocalCloud().account("ada").container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zoneID))
    }

    /// Saves a record, and fetches it as the server has it.
    private func fetched(_ body: (CKRecord) -> Void) async throws -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
        body(record)
        _ = try await database.save(record)
        return try await database.record(for: record.recordID)
    }

    private func record(_ random: inout SeededRandom) async throws -> CKRecord {
        let texts = ["", "Milk", "Käse \u{1F9C0}", "\u{0}\"\\", String(repeating: "x", count: 5_000)]
        let (text, number) = (texts[random.below(texts.count)], Int64(random.below(1_000)) - 500)
        return try await fetched { record in
            record["text"] = text
            record["number"] = number << 40
            record["most"] = Int64.max
            record["rating"] = Double(number) / 7
            record["whole"] = Double(number)
            record["small"] = Double.leastNonzeroMagnitude
            record["date"] = Date(timeIntervalSince1970: Double(number) * 123.456)
            record["data"] = Data((0..<abs(Int(number))).map { UInt8(truncatingIfNeeded: $0) })
            record.encryptedValues["secret"] = text
            record.encryptedValues["count"] = number
        }
    }

    @Test func recordsAreReadAsTheyWereWritten() async throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<50 {
            let record = try await record(&random)
            let read = try CKRecord(snapshot: try #require(record.snapshot))
            #expect(read.recordType == record.recordType && read.recordID == record.recordID)
            #expect(read.recordChangeTag == record.recordChangeTag && read.recordChangeTag != nil)
            #expect(read.creationDate == record.creationDate && read.modificationDate == record.modificationDate)
            #expect(read.creatorUserRecordID == record.creatorUserRecordID)
            #expect(read.lastModifiedUserRecordID == record.lastModifiedUserRecordID)
            #expect(read.allKeys() == record.allKeys() && read.changedKeys().isEmpty)
            for key in record.allKeys() {
                #expect(read[key] as? NSObject == record[key] as? NSObject, "\(key)")
            }
            let keys = record.encryptedValues.allKeys()
            #expect(read.encryptedValues.allKeys() == keys)
            for key in keys {
                #expect(read.encryptedValues[key] as? NSObject == record.encryptedValues[key] as? NSObject, "\(key)")
            }
            #expect(read.snapshot != nil)
        }
    }

    @Test func otherRecordsHaveNoSnapshot() async throws {
        let list = try await fetched { $0["list"] = ["a", "b"] }
        #expect(list.snapshot == nil)
        let changed = try await fetched { $0["text"] = "a" }
        changed["text"] = "b"
        #expect(changed.snapshot == nil)
        let reference = try await fetched { record in
            record["other"] = CKRecord.Reference(recordID: CKRecord.ID(recordName: "x", zoneID: zoneID), action: .none)
        }
        #expect(reference.snapshot == nil)
    }

    @Test func damagedSnapshotsStopNothing() async throws {
        var random = SeededRandom(seed: 2)
        let snapshot = try #require(try await record(&random).snapshot)
        var readable = 0
        for _ in 0..<2_000 {
            var bytes = Array(snapshot)
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.chance(20) { bytes.removeLast(random.below(bytes.count)) }
            // Whatever can be read is a record, and can be written.
            guard let read = try? CKRecord(snapshot: Data(bytes)) else { continue }
            readable += 1
            #expect(read.snapshot != nil && !read.description.isEmpty)
        }
        #expect(readable > 0)
        for bytes in [Data(), Data([0]), Data([1]), Data([1, 5]) + Data("Note".utf8), snapshot + [0], Data("{}".utf8)] {
            #expect(throws: CompactReader.Failure.self) { try CKRecord(snapshot: bytes) }
        }
    }
}
