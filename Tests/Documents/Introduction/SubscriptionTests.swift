import CloudKit
import StratusTesting
import Testing

/// The introduction's section on subscriptions: a query that the server runs after each save.
@Suite struct SubscriptionTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func event(_ name: String, at date: Date) -> CKRecord {
        let record = CKRecord(recordType: "RecordType", recordID: CKRecord.ID(recordName: name))
        record["start"] = date
        return record
    }

    private func subscription() -> CKQuerySubscription {
        let subscription = CKQuerySubscription(
            recordType: "RecordType", predicate: NSPredicate(format: "start > %@", start as NSDate),
            options: .firesOnRecordCreation)
        let info = CKSubscription.NotificationInfo()
        info.alertLocalizationKey = "LOCAL_NOTIFICATION_KEY"
        info.soundName = "ping.aiff"
        info.shouldBadge = true
        subscription.notificationInfo = info
        return subscription
    }

    @Test("A device subscribes, another saves a matching record, and the first is told which")
    func theWholeWay() async throws {
        let cloud = try await LocalCloud()
        let phone = cloud.account("ada").device("phone")
        let others = cloud.account("bob").container.publicCloudDatabase
        try await others.save(event("before", at: start))
        let database = phone.container.publicCloudDatabase
        _ = try await answer { database.save(subscription(), completionHandler: $0) }
        try await others.save(event("too early", at: start))
        try await others.save(event("matching", at: start.addingTimeInterval(1)))
        let told = try await phone.takeNotifications()
        let notification = try #require(told.first)
        #expect(told.count == 1 && notification.notificationType == .query)
        #expect(notification.alertLocalizationKey == "LOCAL_NOTIFICATION_KEY")
        #expect(notification.soundName == "ping.aiff" && notification.badge == 1)
        let query = try #require(notification as? CKQueryNotification)
        #expect(query.recordID?.recordName == "matching" && query.queryNotificationReason == .recordCreated)
    }

    @Test("It fires for nothing but what its options name")
    func options() async throws {
        let cloud = try await LocalCloud()
        let phone = cloud.account("ada").device("phone")
        let others = cloud.account("bob").container.publicCloudDatabase
        try await others.save(event("before", at: start))
        try await phone.container.publicCloudDatabase.save(subscription())
        let record = try await others.save(event("a", at: start.addingTimeInterval(1)))
        #expect(try await phone.takeNotifications().count == 1)
        record["start"] = start.addingTimeInterval(2)
        try await others.save(record)
        try await others.deleteRecord(withID: record.recordID)
        #expect(try await phone.takeNotifications().isEmpty)
    }

    @Test("The payload of a push is read as a notification, with its alert")
    func payloads() throws {
        let payload: [AnyHashable: Any] = [
            "aps": ["alert": "A record", "sound": "ping.aiff"],
            "ck": [
                "cid": "iCloud.org.example.test", "nid": "1",
                "qry": ["rid": "MyRec", "zid": "_defaultZone", "zoid": "_owner", "sid": "s", "fo": 1, "dbs": 1],
            ],
        ]
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: payload))
        #expect(notification.alertBody == "A record" && notification.notificationType == .query)
        #expect((notification as? CKQueryNotification)?.recordID?.recordName == "MyRec")
        #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": ["alert": "Somebody else's"]]) == nil)
    }
}
