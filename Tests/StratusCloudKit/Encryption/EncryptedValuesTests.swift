import CloudKit
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// Encrypted values as an app uses them, over HTTP and in the process.
@Suite struct EncryptedValuesTests {
    @Test("behaviour 15: every type comes back bit for bit", arguments: Door.allCases)
    func everyType(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405), altitude: 34.5,
            horizontalAccuracy: 5, verticalAccuracy: 3, course: 270, speed: 1.5,
            timestamp: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7))
        let values: [String: any CKRecordValue] = [
            "text": "Grüße 👩‍👩‍👧\0", "empty": "", "integer": Int.min, "yes": true, "double": -0.0,
            "tiny": Double.leastNonzeroMagnitude,
            "date": Date(timeIntervalSinceReferenceDate: 712_345_678.123_456_7), "data": Data([0, 255]),
            "place": place, "texts": ["a", ""], "numbers": [1, 2], "dates": [Date(timeIntervalSinceReferenceDate: 0.1)],
            "nothing": [String](),
        ]
        let record = note("a", in: zoneID)
        for (key, value) in values { record.encryptedValues[key] = value }
        try await app.database.save(record)
        #expect(record.encryptedValues.changedKeys().isEmpty)

        let fetched = try await app.database.record(for: record.recordID)
        #expect(fetched.allKeys() == ["title"] && fetched["title"] as? String == "Hi")
        #expect(fetched.encryptedValues.allKeys() == values.keys.sorted())
        for key in values.keys {
            let encoding = FieldEncoding(field: key, zoneID: zoneID, names: IdentityNames())
            let (old, new) = (
                try #require(record.field(key, isEncrypted: true)), try #require(fetched.field(key, isEncrypted: true))
            )
            #expect(try encoding.plain(old).bytes == encoding.plain(new).bytes, "\(key)")
        }
        let date: Date? = fetched.encryptedValues["date"]
        #expect(date?.timeIntervalSinceReferenceDate.bitPattern == 712_345_678.123_456_7.bitPattern)
        let zero: Double? = fetched.encryptedValues["double"]
        #expect(zero?.sign == .minus)

        fetched.encryptedValues["text"] = "new"
        fetched.encryptedValues["data"] = nil
        try await app.database.save(fetched)
        let again = try await app.database.record(for: record.recordID)
        #expect(again.encryptedValues["text"] as? String == "new" && again.encryptedValues["data"] == nil)
        #expect(again.encryptedValues["yes"] as? Bool == true)
    }

    @Test("records come open through queries and feeds, and from conflicts", arguments: Door.allCases)
    func everyWay(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record.encryptedValues["secret"] = "first"
        try await app.database.save(record)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title = %@", "Hi"))
        let found = try await app.database.records(matching: query, inZoneWith: zoneID).matchResults
        #expect(try found.first?.1.get().encryptedValues["secret"] as? String == "first")
        let changes = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil)
        let changed = try #require(try changes.modificationResultsByID[record.recordID]?.get().record)
        #expect(changed.encryptedValues["secret"] as? String == "first")

        let stale = try await app.database.record(for: record.recordID)
        record.encryptedValues["secret"] = "second"
        try await app.database.save(record)
        stale.encryptedValues["secret"] = "third"
        do {
            try await app.database.save(stale)
            Issue.record("a conflict went unnoticed")
        } catch let error as CKError {
            #expect(error.code == .serverRecordChanged)
            #expect(error.serverRecord?.encryptedValues["secret"] as? String == "second")
            #expect(error.ancestorRecord?.encryptedValues["secret"] as? String == "first")
            #expect(error.clientRecord?.encryptedValues["secret"] as? String == "third")
        }
    }

    @Test("what encrypted values cannot do is refused before any network", arguments: Door.allCases)
    func refusals(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record.encryptedValues["secret"] = "x"
        await #expect(code { try await app.alice.publicCloudDatabase.save(record) } == .invalidArguments)
        await #expect(code { try await app.alice.sharedCloudDatabase.save(record) } == .permissionFailure)
        await #expect(code { try await app.nobody.privateCloudDatabase.save(record) } == .notAuthenticated)
        try await app.database.save(record)
        for predicate in [NSPredicate(format: "secret = %@", "x"), NSPredicate(format: "secret BEGINSWITH 'x'")] {
            let query = CKQuery(recordType: "Note", predicate: predicate)
            await #expect(code { _ = try await app.database.records(matching: query) } == .invalidArguments)
            // A device that has seen no such record hears it from the server.
            let other = app.device().privateCloudDatabase
            await #expect(code { _ = try await other.records(matching: query) } == .invalidArguments)
        }
        let sorted = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        sorted.sortDescriptors = [NSSortDescriptor(key: "secret", ascending: true)]
        await #expect(code { _ = try await app.database.records(matching: sorted) } == .invalidArguments)
    }

    @Test("behaviour 25: a field is encrypted or plain for good", arguments: Door.allCases)
    func fieldsKeepTheirKind(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record.encryptedValues["secret"] = "x"
        try await app.database.save(record)
        let plain = note("b")
        plain["secret"] = "x"
        let encrypted = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "c"))
        encrypted.encryptedValues["title"] = "x"
        let both = note("d")
        both.encryptedValues["title"] = "x"
        await #expect(code { try await app.database.save(both) } == .invalidArguments)
        await #expect(code { try await app.database.save(plain) } == .invalidArguments)
        await #expect(code { try await app.database.save(encrypted) } == .invalidArguments)
    }

    @Test("a value that the server moves to another record or field does not open", arguments: Door.allCases)
    func movedValues(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let other = try await app.makeZone("Other")
        let record = note("a", in: zoneID)
        record.encryptedValues["secret"] = "x"
        try await app.database.save(record)
        let cloud = RawCloud(app.transport)
        let sealed = try #require(try await cloud.field("secret", of: record.recordID))
        try await cloud.put(sealed, "secret", CKRecord.ID(recordName: "moved", zoneID: zoneID))
        try await cloud.put(sealed, "other", CKRecord.ID(recordName: "b", zoneID: zoneID))
        try await cloud.put(sealed, "secret", CKRecord.ID(recordName: "a", zoneID: other))
        try await cloud.put(sealed, "secret", CKRecord.ID(recordName: "c", zoneID: zoneID), type: "Memo")
        for (name, zoneID) in [("moved", zoneID), ("b", zoneID), ("c", zoneID)] {
            let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
            await #expect(code { _ = try await app.database.record(for: recordID) } == .internalError, "\(name)")
        }
        // The zone has no keys at all.
        let moved = CKRecord.ID(recordName: "a", zoneID: other)
        await #expect(code { _ = try await app.database.record(for: moved) } == .zoneNotFound)
        // One bad record spoils no other.
        let changes = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil)
        #expect(changes.modificationResultsByID[record.recordID]?.isSuccess == true)
        #expect(changes.modificationResultsByID.values.filter { $0.code == .internalError }.count == 3)
        // What is not asked for need not open.
        let without = try await app.database.records(
            for: [CKRecord.ID(recordName: "moved", zoneID: zoneID)], desiredKeys: ["title"])
        #expect(Array(without.values).allSucceeded())
    }

    @Test("bytes that no device wrote, or a newer one, are refused as such", arguments: Door.allCases)
    func unknownFormats(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        record.encryptedValues["secret"] = "x"
        try await app.database.save(record)
        let cloud = RawCloud(app.transport)
        for bytes in [[], [2] + [UInt8](repeating: 0, count: 60), Array("written by a web client".utf8)] {
            try await cloud.put(bytes, "secret", record.recordID)
            await #expect(code { _ = try await app.database.record(for: record.recordID) } == .incompatibleVersion)
        }
    }
}
