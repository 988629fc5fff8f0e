import CloudKit
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct SubscriptionTests {
    @Test("148, 150, 151: saved, found, deleted", arguments: Door.allCases)
    func life(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record["n"] = 1
        try await app.database.save(record)
        let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone")
        zone.notificationInfo = CKSubscription.NotificationInfo(alertBody: "News", shouldBadge: true)
        let query = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "title == %@ AND n > 3", "x"), subscriptionID: "query",
            options: [.firesOnRecordCreation, .firesOnce])
        query.zoneID = zoneID
        let results = try await app.database.modifySubscriptions(
            saving: [zone, query, CKDatabaseSubscription(subscriptionID: "database")], deleting: [])
        #expect(results.saveResults.count == 3 && results.saveResults.values.allSucceeded())
        try await app.database.save(zone)
        let all = try await app.database.allSubscriptions()
        #expect(Set(all.map(\.subscriptionID)) == ["zone", "query", "database"])
        let found = try #require(try await app.database.subscription(for: "zone") as? CKRecordZoneSubscription)
        #expect(found.zoneID == zoneID && found.notificationInfo == zone.notificationInfo)
        let asked = try #require(try await app.database.subscription(for: "query") as? CKQuerySubscription)
        #expect(asked.recordType == "Note" && asked.zoneID == zoneID)
        #expect(asked.querySubscriptionOptions == query.querySubscriptionOptions)
        #expect(asked.predicate.predicateTree == query.predicate.predicateTree)
        let some = try await app.database.subscriptions(for: ["zone", "absent"])
        #expect(some["zone"]?.isSuccess == true && some["absent"]?.code == .unknownItem)
        #expect(try await app.database.deleteSubscription(withID: "zone") == "zone")
        #expect(await code { try await app.database.deleteSubscription(withID: "zone") } == .unknownItem)
        #expect(await code { _ = try await app.database.subscription(for: "zone") } == .unknownItem)
    }

    @Test("one that fires once is deleted when it has", arguments: Door.allCases)
    func firesOnce(_ door: Door) async throws {
        let app = try await door.open()
        let (alices, bobs) = (app.alice.publicCloudDatabase, app.bob.publicCloudDatabase)
        try await bobs.save(note("first"))
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"), subscriptionID: "once",
            options: [.firesOnRecordCreation, .firesOnce])
        try await alices.save(subscription)
        try await bobs.save(note("other", in: .default, "Other"))
        #expect(try await alices.allSubscriptions().count == 1)
        try await bobs.save(note("a"))
        #expect(try await alices.allSubscriptions().isEmpty)
        // It can be made again.
        try await alices.save(subscription)
        #expect(try await alices.allSubscriptions().count == 1)
    }

    @Test("149: the same under another name", arguments: Door.allCases)
    func duplicate(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await app.database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "a"))
        #expect(
            await code {
                try await app.database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "b"))
            } == .serverRejectedRequest)
    }

    @Test("kinds that a database does not have", arguments: Door.allCases)
    func wrongDatabase(_ door: Door) async throws {
        let app = try await door.open()
        let database = CKDatabaseSubscription(subscriptionID: "d")
        let zone = CKRecordZoneSubscription(zoneID: .init(zoneName: "Z"), subscriptionID: "z")
        let results = try await app.alice.publicCloudDatabase.modifySubscriptions(
            saving: [database, zone], deleting: [])
        #expect(results.saveResults["d"]?.code == .badDatabase && results.saveResults["z"]?.code == .badDatabase)
    }
}
