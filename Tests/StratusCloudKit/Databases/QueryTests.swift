import CloudKit
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct QueryTests {
    private func people(_ door: Door) async throws -> (CKDatabase, CKRecordZone.ID) {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let places = [("Madi", 30, 48.1), ("Simon", 40, 52.5), ("Mia", 50, 40.7)]
        let records = places.map { name, age, latitude in
            let record = CKRecord(recordType: "Person", recordID: .init(recordName: name, zoneID: zoneID))
            record["name"] = name
            record["age"] = age
            record["tags"] = [name.lowercased(), "all"]
            record["place"] = CLLocation(latitude: latitude, longitude: 11.5)
            record["born"] = Date(timeIntervalSince1970: Double(age))
            record["seal"] = Data([0, UInt8(age)])
            record["seals"] = [Data(name.utf8), Data([0xFF])]
            record["friend"] = CKRecord.Reference(recordID: .init(recordName: "Mia", zoneID: zoneID), action: .none)
            return record
        }
        _ = try await app.database.modifyRecords(saving: records, deleting: [])
        return (app.database, zoneID)
    }

    private func names(
        _ database: CKDatabase, _ predicate: NSPredicate, in zoneID: CKRecordZone.ID?, sort: NSSortDescriptor? = nil
    ) async throws -> [String] {
        let query = CKQuery(recordType: "Person", predicate: predicate)
        query.sortDescriptors = [sort ?? NSSortDescriptor(key: "name", ascending: true)]
        return try await database.records(matching: query, inZoneWith: zoneID).matchResults.map { $0.0.recordName }
    }

    @Test("64, 66, 71: forms of predicates", arguments: Door.allCases)
    func forms(_ door: Door) async throws {
        let (database, zoneID) = try await people(door)
        let mia = CKRecord.ID(recordName: "Mia", zoneID: zoneID)
        let reference = CKRecord.Reference(recordID: mia, action: .none)
        let munich = CLLocation(latitude: 48.1, longitude: 11.5)
        let cases: [(NSPredicate, [String])] = [
            (NSPredicate(format: "name BEGINSWITH %@", "M"), ["Madi", "Mia"]),
            (NSPredicate(format: "name == %@", "Simon"), ["Simon"]),
            (NSPredicate(format: "%@ == name", "Simon"), ["Simon"]),
            (NSPredicate(format: "age > %d AND age < %d", 30, 50), ["Simon"]),
            (NSPredicate(format: "age BETWEEN {30, 40}"), ["Madi", "Simon"]),
            (NSPredicate(format: "name IN %@", ["Mia", "Nobody"]), ["Mia"]),
            (NSPredicate(format: "tags CONTAINS %@", "mia"), ["Mia"]),
            (NSPredicate(format: "%@ IN tags", "all"), ["Madi", "Mia", "Simon"]),
            (NSPredicate(format: "NOT name == %@", "Mia"), ["Madi", "Simon"]),
            (NSPredicate(format: "born >= %@", Date(timeIntervalSince1970: 40) as NSDate), ["Mia", "Simon"]),
            (NSPredicate(format: "seal == %@", Data([0, 40]) as NSData), ["Simon"]),
            (NSPredicate(format: "seal != %@", Data([0, 40]) as NSData), ["Madi", "Mia"]),
            (NSPredicate(format: "seal > %@", Data([0, 30]) as NSData), ["Mia", "Simon"]),
            (NSPredicate(format: "seal < %@", Data([0, 30, 0]) as NSData), ["Madi"]),
            (NSPredicate(format: "seal IN %@", [Data([0, 50]), Data([0, 30]), Data()]), ["Madi", "Mia"]),
            (NSPredicate(format: "NOT (seal IN %@)", [Data([0, 50]), Data()]), ["Madi", "Simon"]),
            (NSPredicate(format: "seals CONTAINS %@", Data("Mia".utf8) as NSData), ["Mia"]),
            (NSPredicate(format: "friend == %@", reference), ["Madi", "Mia", "Simon"]),
            (NSPredicate(format: "friend == %@ AND age == 50", mia), ["Mia"]),
            (NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < %f", munich, 1_000.0), ["Madi"]),
            (NSPredicate(format: "self CONTAINS %@", "simon"), ["Simon"]),
            (NSPredicate(format: "age == 99"), []),
            (NSPredicate(value: false), []),
        ]
        for (predicate, expected) in cases {
            #expect(try await names(database, predicate, in: zoneID) == expected, "\(predicate.predicateTree)")
        }
    }

    @Test("72: nearest first", arguments: Door.allCases)
    func nearest(_ door: Door) async throws {
        let (database, zoneID) = try await people(door)
        let sort = CKLocationSortDescriptor(
            key: "place", relativeLocation: CLLocation(latitude: 53, longitude: 11.5))
        let found = try await names(database, NSPredicate(format: "age > 0"), in: zoneID, sort: sort)
        #expect(found == ["Simon", "Madi", "Mia"])
    }

    @Test("Bytes sort as unsigned numbers", arguments: Door.allCases)
    func bytes(_ door: Door) async throws {
        let (database, zoneID) = try await people(door)
        let sort = NSSortDescriptor(key: "seal", ascending: false)
        #expect(
            try await names(database, NSPredicate(value: true), in: zoneID, sort: sort) == ["Mia", "Simon", "Madi"])
    }

    @Test("40: pages", arguments: Door.allCases)
    func pages(_ door: Door) async throws {
        let (database, zoneID) = try await people(door)
        let query = CKQuery(recordType: "Person", predicate: NSPredicate(format: "age > 0"))
        query.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        let first = try await database.records(
            matching: query, inZoneWith: zoneID, desiredKeys: ["age"], resultsLimit: 2)
        #expect(first.matchResults.map { $0.0.recordName } == ["Mia", "Simon"])
        #expect(try first.matchResults.first?.1.get().allKeys() == ["age"])
        let cursor = try #require(first.queryCursor)
        let data = try NSKeyedArchiver.archivedData(withRootObject: cursor, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: data))
        let second = try await database.records(continuingMatchFrom: read)
        #expect(second.matchResults.map { $0.0.recordName } == ["Madi"] && second.queryCursor == nil)
    }

    @Test("65, 67, 69: what cannot be asked", arguments: Door.allCases)
    func refusals(_ door: Door) async throws {
        let (database, zoneID) = try await people(door)
        func ask(_ type: String, _ predicate: NSPredicate) async -> CKError.Code? {
            await code {
                _ = try await database.records(
                    matching: CKQuery(recordType: type, predicate: predicate), inZoneWith: zoneID)
            }
        }
        #expect(await ask("Never", NSPredicate(format: "a == 1")) == .unknownItem)
        #expect(await ask("Person", NSPredicate(value: true)) == nil, "in development every field has its index")
        #expect(await ask("Person", NSPredicate(format: "unknown == 1")) == .invalidArguments)
        #expect(await ask("Users", NSPredicate(value: true)) == .invalidArguments)
    }
}
