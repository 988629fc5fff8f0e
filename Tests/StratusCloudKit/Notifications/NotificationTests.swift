import CloudKit
import StratusCloudModel
import StratusCloudWire
import Testing

@Suite struct NotificationTests {
    private func dictionary(_ kind: CloudNotification.Kind, _ scope: DatabaseScope = .private) throws -> [AnyHashable:
        Any]
    {
        let container = try #require(ContainerIdentifier("iCloud.org.example.notes"))
        var notification = CloudNotification(
            notificationID: "n", container: container, scope: scope, subscriptionID: "s", userRecordName: "_me",
            kind: kind)
        notification.body = .init("News", localizationKey: "key", localizationArguments: ["a"])
        notification.title = .init("Title")
        notification.badge = 1
        notification.soundName = "ping"
        notification.category = "c"
        let payload = NotificationEncoder().payload(notification)
        return try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    @Test func queryNotifications() throws {
        let zone = ZoneID(zoneName: "Z", ownerRecordName: "_me")
        let fields: FieldMap = ["title": Field(.scalar(.string("Hi")))]
        let payload = try dictionary(.query(recordName: "r", zoneID: zone, .update, fields: fields))
        let notification = try #require(
            CKNotification(fromRemoteNotificationDictionary: payload) as? CKQueryNotification)
        #expect(notification.notificationType == .query && notification.queryNotificationReason == .recordUpdated)
        #expect(notification.recordID == CKRecord.ID(recordName: "r", zoneID: .init(zoneName: "Z")))
        #expect(notification.recordFields?["title"] as? String == "Hi")
        #expect(notification.subscriptionID == "s" && notification.databaseScope == .private)
        #expect(notification.containerIdentifier == "iCloud.org.example.notes" && !notification.isPruned)
        #expect(notification.alertBody == "News" && notification.alertLocalizationKey == "key")
        #expect(notification.alertLocalizationArgs == ["a"] && notification.title == "Title")
        #expect(notification.badge == 1 && notification.soundName == "ping" && notification.category == "c")
        #expect(notification.subscriptionOwnerUserRecordID?.recordName == "_me")
        #expect(notification.notificationID != nil)
    }

    @Test(arguments: [
        (DatabaseScope.public, CKDatabase.Scope.public), (.private, .private), (.shared, .shared),
    ])
    func scopes(_ scope: DatabaseScope, _ expected: CKDatabase.Scope) throws {
        let payload = try dictionary(.zone(ZoneID(zoneName: "Z", ownerRecordName: "_other")), scope)
        let zone = try #require(CKRecordZoneNotification(fromRemoteNotificationDictionary: payload))
        #expect(zone.recordZoneID == .init(zoneName: "Z", ownerName: "_other") && zone.databaseScope == expected)
        let other = try dictionary(.database(ZoneID(zoneName: "Z", ownerRecordName: "_me")), scope)
        let database = try #require(CKDatabaseNotification(fromRemoteNotificationDictionary: other))
        #expect(database.databaseScope == expected && database.notificationType == .database)
    }

    @Test("what has no room is left out, and said to be") func pruned() throws {
        let container = try #require(ContainerIdentifier("iCloud.org.example.notes"))
        let fields: FieldMap = ["title": Field(.scalar(.string(String(repeating: "x", count: 500))))]
        let zone = ZoneID(zoneName: "Z", ownerRecordName: "_me")
        let notification = CloudNotification(
            notificationID: "n", container: container, scope: .private, subscriptionID: "s", userRecordName: "_me",
            kind: .query(recordName: "r", zoneID: zone, .update, fields: fields))
        for (limit, isPruned) in [(400, true), (4_096, false)] {
            let payload = NotificationEncoder(limit: limit).payload(notification)
            let values = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
            let read = try #require(CKNotification(fromRemoteNotificationDictionary: values) as? CKQueryNotification)
            #expect(read.isPruned == isPruned && (read.recordFields?["title"] == nil) == isPruned)
            #expect(read.recordID?.recordName == "r" && read.subscriptionID == "s")
        }
    }

    @Test func othersAreNone() throws {
        #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": ["alert": "x"]]) == nil)
        #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": ["cid": "x"]]) == nil)
        let zone = try dictionary(.zone(ZoneID(zoneName: "Z")))
        #expect(CKQueryNotification(fromRemoteNotificationDictionary: zone) == nil)
    }
}
