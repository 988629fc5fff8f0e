import CoreData
import Foundation
import StratusWaiting

extension NSPersistentCloudKitContainer {
    /// Waits until something is so. It is looked at once, and then whenever a setup, an import or an export begins or ends.
    /// - Parameter isSo: Gets the event; nil the first time.
    package func wait(for what: String, until isSo: (Event?) async throws -> Bool) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let token = NotificationCenter.default.addObserver(
            forName: Self.eventChangedNotification, object: self, queue: nil
        ) { notification in
            let event = notification.userInfo?[Self.eventNotificationUserInfoKey]
            if let event = event as? Event { continuation.yield(event) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try await StratusWaiting.wait(for: what, givingUpBy: { continuation.finish() }) {
            if try await isSo(nil) { return }
            for await event in events where try await isSo(event) { return }
        }
    }
}
