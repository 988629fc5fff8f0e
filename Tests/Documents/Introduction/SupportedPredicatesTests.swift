import CloudKit
import StratusTesting
import Testing

/// The introduction's list of predicates that queries support, and its examples of queries.
@Suite struct SupportedPredicatesTests {
    private let database: CKDatabase
    private let start = Date(timeIntervalSince1970: 1_700_000_000)
    private let place = CLLocation(latitude: 37.783, longitude: -122.404)

    init() async throws {
        database = try await LocalCloud().account("ada").container.publicCloudDatabase
        let talks = [
            ("MyRec", 10.0, 0.0, "The party after the last session"), ("Other", 20, 0.01, "A session in the morning"),
            ("Late", 30, 1, "Lunch, and after lunch coffee"),
        ]
        for (name, minutes, north, text) in talks {
            let record = CKRecord(recordType: "CloudRecords", recordID: CKRecord.ID(recordName: name))
            record["name"] = name
            record["start"] = start.addingTimeInterval(minutes * 60)
            record["Location"] = CLLocation(latitude: 37.783 + north, longitude: -122.404)
            record["text"] = text
            try await database.save(record)
        }
    }

    private func names(_ predicate: NSPredicate) async throws -> [String] {
        let query = CKQuery(recordType: "CloudRecords", predicate: predicate)
        return try await database.records(matching: query).matchResults.map { $0.0.recordName }.sorted()
    }

    @Test("1: a field equals a value")
    func equality() async throws {
        let recordName = "MyRec"
        #expect(try await names(NSPredicate(format: "name = '\(recordName)'")) == ["MyRec"])
        #expect(try await names(NSPredicate(format: "name = %@", recordName)) == ["MyRec"])
    }

    @Test("2: the key is known only at run time")
    func dynamicKeys() async throws {
        #expect(try await names(NSPredicate(format: "%K = %@", "name", "Other")) == ["Other"])
    }

    @Test("3: a field is greater than a value")
    func order() async throws {
        let date = start.addingTimeInterval(900)
        #expect(try await names(NSPredicate(format: "start > %@", date as NSDate)) == ["Late", "Other"])
    }

    @Test(
        "4: a location is within 100 metres of a place",
        arguments: [
            "distanceToLocation:fromLocation:(Location, %@) < 100",
            "distanceToLocation:fromLocation(Location,%@) < 100",
        ])
    func distance(_ format: String) async throws {
        #expect(try await names(NSPredicate(format: format, place)) == ["MyRec"])
    }

    @Test(
        "5: a search for words finds the records with all of them, or with any",
        arguments: [
            ("ALL tokenize(%@, 'Cdl') IN allTokens", ["MyRec"]),
            ("ANY tokenize(%@, 'Cdl') IN allTokens", ["Late", "MyRec", "Other"]),
            ("ALL tokenize(%@, 'Cdl') IN text", ["MyRec"]),
            ("ANY tokenize(%@, 'Cdl') IN text", ["Late", "MyRec", "Other"]),
            ("ALL tokenize(%@, 'Cdl') IN name", []), ("ALL tokenize(%@, 'cdl') IN[cdl] allTokens", ["MyRec"]),
        ])
    func wordSearch(_ format: String, _ expected: [String]) async throws {
        #expect(try await names(NSPredicate(format: format, "after session")) == expected)
        #expect(try await names(NSPredicate(format: format, "AFTER Sessión")) == expected)
    }

    @Test("6: conditions are joined by AND")
    func compound() async throws {
        let predicate = NSPredicate(format: "start > %@ AND name = '\("Other")'", start as NSDate)
        #expect(try await names(predicate) == ["Other"])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "start > %@", start as NSDate),
            NSPredicate(format: "ALL tokenize('session', 'Cdl') IN text"),
        ])
        #expect(try await names(both) == ["MyRec", "Other"])
    }

    @Test("A query is performed in the default zone, and its records come to the handler")
    func perform() async throws {
        let query = CKQuery(recordType: "CloudRecords", predicate: NSPredicate(format: "name = %@", "MyRec"))
        let zoneID = CKRecordZone.default().zoneID
        let results = try await answer { database.perform(query, inZoneWith: zoneID, completionHandler: $0) }
        #expect(results?.map(\.recordID.recordName) == ["MyRec"])
    }

    @Test("A client asks for the slice of the data that it shows")
    func slices() async throws {
        let query = CKQuery(recordType: "CloudRecords", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "start", ascending: false)]
        let slice = try await database.records(matching: query, desiredKeys: ["name"], resultsLimit: 2)
        #expect(slice.matchResults.map { $0.0.recordName } == ["Late", "Other"] && slice.queryCursor != nil)
        #expect(try slice.matchResults.first?.1.get().allKeys() == ["name"])
    }

    @Test("A search comes back from the server as the same search")
    func searchesInSubscriptions() async throws {
        let predicate = NSPredicate(format: "ALL tokenize(%@, 'Cdl') IN allTokens", "after session")
        let subscription = CKQuerySubscription(
            recordType: "CloudRecords", predicate: predicate, subscriptionID: "search", options: .firesOnRecordCreation)
        try await database.save(subscription)
        let fetched = try #require(try await database.subscription(for: "search") as? CKQuerySubscription)
        #expect(fetched.predicate.predicateTree == predicate.predicateTree)
    }
}
