import StratusCloudModel
import StratusCloudService
import StratusPushChannels
import StratusWorkers
import Testing

/// 2026-01-01T00:00:00Z in milliseconds.
let start: Int64 = 1_767_225_600_000

/// A message that is good for an hour.
func message(
    _ change: (inout CloudNotification) -> Void = { $0.body = CloudNotification.Text("There is news") }
) throws -> PushMessage {
    var notification = CloudNotification(
        notificationID: "5B1D7C62-0E2D-4D0E-9A43-7F0C60B1F0A1",
        container: try #require(ContainerIdentifier("iCloud.org.example.app")), scope: .private, subscriptionID: "S",
        userRecordName: "_u",
        kind: .query(
            recordName: "R", zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_u"), .create, fields: [:]))
    change(&notification)
    return PushMessage(notification: notification, expires: start + 3_600_000)
}

/// A standing clock, and what channels complain of.
struct TestEnvironment {
    let clock = Lock(start)
    let reports = Lock<[String]>([])

    func channels(trusting file: String? = nil) -> PushChannelEnvironment {
        let (clock, reports) = (clock, reports)
        return PushChannelEnvironment(
            now: { clock.withLock { $0 } }, report: { text in reports.withLock { $0.append(text) } },
            certificateAuthorityFile: file)
    }
}
