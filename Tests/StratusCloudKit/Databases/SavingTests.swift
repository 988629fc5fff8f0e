import CloudKit
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct SavingTests {
    @Test("1: a new record is made", arguments: Door.allCases)
    func creates(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        let saved = try await app.database.save(record)
        #expect(saved === record, "the object that was saved takes over what the server says")
        #expect(record.recordChangeTag != nil && record.creationDate != nil && record.modificationDate != nil)
        #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(record.lastModifiedUserRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(record.changedKeys().isEmpty && record["title"] as? String == "Hi")
    }

    @Test("2, 3: the tag decides", arguments: Door.allCases)
    func conflicts(_ door: Door) async throws {
        let app = try await door.open()
        let first = try await app.database.save(note("a"))
        let second = try await app.database.record(for: first.recordID)
        first["title"] = "first"
        let tag = first.recordChangeTag
        try await app.database.save(first)
        #expect(first.recordChangeTag != tag)
        second["title"] = "second"
        do {
            try await app.database.save(second)
            Issue.record("the stale record was saved")
        } catch let error as CKError {
            #expect(error.code == .serverRecordChanged)
            #expect(error.serverRecord?["title"] as? String == "first")
            #expect(error.serverRecord?.recordChangeTag == first.recordChangeTag)
            #expect(error.clientRecord?["title"] as? String == "second")
            #expect(error.ancestorRecord?["title"] as? String == "Hi")
            // 13: merging into the server's record succeeds.
            let merged = try #require(error.serverRecord)
            merged["title"] = "merged"
            try await app.database.save(merged)
        }
        #expect(try await app.database.record(for: first.recordID)["title"] as? String == "merged")
    }

    @Test("4: a new object for a record that is there", arguments: Door.allCases)
    func createsTwice(_ door: Door) async throws {
        let app = try await door.open()
        try await app.database.save(note("a"))
        do {
            try await app.database.save(note("a", in: .default, "other"))
            Issue.record("the second record was made")
        } catch let error as CKError {
            #expect(error.code == .serverRecordChanged && error.serverRecord?["title"] as? String == "Hi")
        }
    }

    @Test("5, 6: a record that was deleted meanwhile", arguments: Door.allCases)
    func savesDeleted(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = try await app.database.save(note("a", in: zoneID))
        try await app.database.deleteRecord(withID: record.recordID)
        record["title"] = "again"
        #expect(await code { try await app.database.save(record) } == .unknownItem)
        try await app.database.save(note("a", in: zoneID))
    }

    @Test("7: changedKeys writes what changed, whatever is there", arguments: Door.allCases)
    func changedKeys(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record["other"] = "kept"
        try await app.database.save(record)
        let results = try await app.database.modifyRecords(
            saving: [note("a", in: .default, "forced")], deleting: [], savePolicy: .changedKeys)
        #expect(results.saveResults.values.allSucceeded())
        let stored = try await app.database.record(for: record.recordID)
        #expect(stored["title"] as? String == "forced" && stored["other"] as? String == "kept")
    }

    @Test("11: fields that are not sent survive; nil removes one", arguments: Door.allCases)
    func merges(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record["b"] = 1
        record["c"] = 2
        try await app.database.save(record)
        let partial = try #require(
            try await app.database.records(for: [record.recordID], desiredKeys: ["title"])[record.recordID]?.get())
        #expect(partial.allKeys() == ["title"])
        partial["title"] = "new"
        partial["c"] = nil
        try await app.database.save(partial)
        let stored = try await app.database.record(for: record.recordID)
        #expect(stored["title"] as? String == "new" && stored["b"] as? Int == 1 && stored["c"] == nil)
    }

    @Test("a record rebuilt from system fields saves what is set on it", arguments: Door.allCases)
    func systemFields(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record["b"] = 1
        try await app.database.save(record)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let rebuilt = try #require(CKRecord(coder: unarchiver))
        #expect(rebuilt.recordChangeTag == record.recordChangeTag && rebuilt.creationDate == record.creationDate)
        rebuilt["title"] = "again"
        try await app.database.save(rebuilt)
        let stored = try await app.database.record(for: record.recordID)
        #expect(stored["title"] as? String == "again" && stored["b"] as? Int == 1)
    }

    @Test("14: versions have later dates", arguments: Door.allCases)
    func datesIncrease(_ door: Door) async throws {
        let app = try await door.open()
        let record = try await app.database.save(note("a"))
        let first = try #require(record.modificationDate)
        record["title"] = "b"
        try await app.database.save(record)
        #expect(try #require(record.modificationDate) > first)
    }

    @Test("15, 61: values come back to the bit", arguments: Door.allCases)
    func exactValues(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        let date = Date(timeIntervalSinceReferenceDate: 726_062_400.123456789)
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 48.1, longitude: -11.5), altitude: 3, horizontalAccuracy: 5,
            verticalAccuracy: 6, course: 7, speed: 8, timestamp: date)
        record["date"] = date
        record["dates"] = [date, Date(timeIntervalSince1970: 1)]
        record["int"] = Int64.min
        record["double"] = 0.1
        record["data"] = Data([0, 255])
        record["place"] = place
        record["reference"] = CKRecord.Reference(recordID: .init(recordName: "x", zoneID: zoneID), action: .deleteSelf)
        record["texts"] = ["a", "é"]
        try await app.database.save(record)
        let stored = try await app.database.record(for: record.recordID)
        #expect(stored["date"] as? Date == date)
        #expect(stored["dates"] as? [Date] == [date, Date(timeIntervalSince1970: 1)])
        #expect(stored["int"] as? Int64 == .min && stored["double"] as? Double == 0.1)
        #expect(stored["data"] as? Data == Data([0, 255]) && stored["texts"] as? [String] == ["a", "é"])
        #expect(stored["reference"] as? CKRecord.Reference == record["reference"] as? CKRecord.Reference)
        let found = try #require(stored["place"] as? CLLocation)
        #expect(found.coordinate.latitude == 48.1 && found.course == 7 && found.timestamp == date)
    }

    @Test("24: what is changed here does not change there", arguments: Door.allCases)
    func separation(_ door: Door) async throws {
        let app = try await door.open()
        let record = try await app.database.save(note("a"))
        record["title"] = "changed here"
        #expect(try await app.database.record(for: record.recordID)["title"] as? String == "Hi")
        #expect(record.changedKeys() == ["title"])
    }

    @Test("values that cannot be sent are refused by name", arguments: Door.allCases)
    func badValues(_ door: Door) async throws {
        let app = try await door.open()
        let mixed = note("a")
        mixed["list"] = NSArray(array: ["a", 1])
        let far = note("b")
        far["date"] = Date(timeIntervalSinceReferenceDate: .infinity)
        let huge = note("c")
        huge["number"] = UInt64.max
        let results = try await app.database.modifyRecords(saving: [mixed, far, huge, note("d")], deleting: [])
        #expect(results.saveResults[mixed.recordID]?.code == .invalidArguments)
        #expect(results.saveResults[far.recordID]?.code == .invalidArguments)
        #expect(results.saveResults[huge.recordID]?.code == .invalidArguments)
        #expect(results.saveResults[CKRecord.ID(recordName: "d")]?.isSuccess == true)
    }
}
