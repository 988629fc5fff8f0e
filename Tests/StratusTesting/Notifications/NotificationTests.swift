import CloudKit
import StratusTesting
import Testing

@Suite struct NotificationTests {
    private let cloud: LocalCloud
    private let phone: LocalCloud.Device
    private let laptop: LocalCloud.Device

    init() async throws {
        cloud = try await LocalCloud()
        phone = cloud.account("ada").device("phone")
        laptop = cloud.account("ada").device("laptop")
        try await phone.container.privateCloudDatabase.save(CKRecordZone(zoneID: notes))
    }

    @Test("155: the other devices are told, the one that did it is not")
    func zones() async throws {
        let subscription = CKRecordZoneSubscription(zoneID: notes, subscriptionID: "notes")
        try await laptop.container.privateCloudDatabase.save(subscription)
        try await phone.container.privateCloudDatabase.save(note("a", in: notes))
        let told = try await laptop.takeNotifications()
        let first = try #require(told.first as? CKRecordZoneNotification)
        #expect(told.count == 1 && first.recordZoneID == notes && first.subscriptionID == "notes")
        #expect(first.databaseScope == .private && first.containerIdentifier == LocalCloud.defaultContainer)
        #expect(try await phone.takeNotifications().isEmpty)
        #expect(try await laptop.takeNotifications().isEmpty)
    }

    @Test func queries() async throws {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"), subscriptionID: "new",
            options: .firesOnRecordCreation)
        let info = CKSubscription.NotificationInfo()
        info.alertBody = "A note"
        info.desiredKeys = ["title"]
        subscription.notificationInfo = info
        let bob = cloud.account("bob").container.publicCloudDatabase
        try await bob.save(note("first"))
        try await laptop.container.publicCloudDatabase.save(subscription)
        try await bob.save(note("a"))
        try await bob.save(note("b", in: .default, "Other"))
        let told = try await laptop.takeNotifications()
        let first = try #require(told.first as? CKQueryNotification)
        #expect(told.count == 1 && first.recordID?.recordName == "a" && first.alertBody == "A note")
        #expect(first.queryNotificationReason == .recordCreated && first.recordFields?["title"] as? String == "Hi")
    }

    @Test("a notification of a record too large for it says that something is left out") func pruned() async throws {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "new",
            options: .firesOnRecordCreation)
        subscription.notificationInfo = CKSubscription.NotificationInfo(desiredKeys: ["title"])
        let bob = cloud.account("bob").container.publicCloudDatabase
        try await bob.save(note("first"))
        try await laptop.container.publicCloudDatabase.save(subscription)
        try await bob.save(note("small"))
        try await bob.save(note("large", in: .default, String(repeating: "x", count: 10_000)))
        let told = try await laptop.takeNotifications().compactMap { $0 as? CKQueryNotification }
        let pruned = Dictionary(uniqueKeysWithValues: told.map { ($0.recordID?.recordName, $0.isPruned) })
        // A device that is slow may hear of the latest only.
        #expect(pruned["large"] == true && pruned["small"] != true)
        #expect(told.last?.recordFields?["title"] == nil)
    }

    @Test("who fires once is told once, and is gone") func firesOnce() async throws {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"), subscriptionID: "once",
            options: [.firesOnRecordCreation, .firesOnce])
        let bob = cloud.account("bob").container.publicCloudDatabase
        try await bob.save(note("first"))
        let database = laptop.container.publicCloudDatabase
        try await database.save(subscription)
        // What does not satisfy the predicate does not spend it.
        try await bob.save(note("other", in: .default, "Other"))
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["once"])
        for name in ["a", "b", "c"] { try await bob.save(note(name)) }
        let told = try await laptop.takeNotifications()
        #expect(told.map { ($0 as? CKQueryNotification)?.recordID?.recordName } == ["a"])
        #expect(try await database.allSubscriptions().isEmpty)
        #expect(await failure { _ = try await database.subscription(for: "once") }?.code == .unknownItem)
    }

    @Test func asTheyCome() async throws {
        try await laptop.container.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
        let (phone, laptop) = (phone, laptop)
        let reader = Task {
            var names: [String?] = []
            for try await notification in laptop.notifications {
                names.append(notification.subscriptionID)
                if names.count == 2 { break }
                try await phone.container.privateCloudDatabase.save(note("b", in: notes))
            }
            return names
        }
        try await phone.container.privateCloudDatabase.save(note("a", in: notes))
        #expect(try await reader.value == ["all", "all"])
    }

    @Test func anyContainer() async throws {
        let other = "iCloud.org.example.other"
        let subscription = CKRecordZoneSubscription(zoneID: notes, subscriptionID: "other")
        let database = laptop.container(other).privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: notes))
        try await database.save(subscription)
        try await phone.container(other).privateCloudDatabase.save(note("a", in: notes))
        let told = try await laptop.takeNotifications(container: other)
        #expect(told.map(\.subscriptionID) == ["other"] && told.first?.containerIdentifier == other)
        #expect(try await laptop.takeNotifications().isEmpty)

        try await phone.container(other).privateCloudDatabase.save(note("b", in: notes))
        for try await notification in laptop.notifications(container: other) {
            #expect(notification.containerIdentifier == other)
            break
        }
        let error = await failure { _ = try await laptop.takeNotifications(container: "none") }
        #expect(error?.code == .badContainer)
    }

    @Test func whoIsSignedOutHearsNothing() async throws {
        try await laptop.container.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
        laptop.signOut()
        try await phone.container.privateCloudDatabase.save(note("a", in: notes))
        #expect(try await laptop.takeNotifications().isEmpty)
        laptop.signIn(as: cloud.account("ada"))
        _ = try await laptop.container.privateCloudDatabase.allRecordZones()
        try await phone.container.privateCloudDatabase.save(note("b", in: notes))
        #expect(try await laptop.takeNotifications().count == 1)
    }

    @Test func whoIsCancelledHearsNothing() async throws {
        let laptop = laptop
        let reader = Task { () -> Int in
            var count = 0
            for try await _ in laptop.notifications { count += 1 }
            return count
        }
        _ = try await laptop.takeNotifications()
        reader.cancel()
        #expect(try await reader.value == 0)
    }
}
