import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What developers are told of notifications.
@Suite struct PushHistoryTests {
    /// Names of a person's zones and subscriptions may say anything.
    @Test(arguments: [
        (CloudEnvironment.development, DatabaseScope.private, true), (.production, .public, true),
        (.production, .private, false), (.production, .shared, false),
    ])
    func namesInPeoplesDatabasesStayThere(environment: CloudEnvironment, scope: DatabaseScope, shows: Bool) throws {
        let container = try #require(ContainerIdentifier("iCloud.org.example.app"))
        let notification = CloudNotification(
            notificationID: "n", container: container, scope: scope, subscriptionID: "diary of ada",
            userRecordName: "_ada", kind: .zone(ZoneID(zoneName: "diary", ownerRecordName: "_ada")))
        let history = PushHistory()
        let context = CloudContext(container: container, environment: environment)
        history.note(notification, in: context, channel: "queue", outcome: "queued", at: 0)
        let event = try #require(history.latest(in: context).first)
        #expect(event.subscriptionID == (shows ? "diary of ada" : nil))
        #expect(event.zoneName == (shows ? "diary" : nil))
        #expect(event.kind == "zone")
    }
}
