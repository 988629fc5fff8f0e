import StratusCloudKit

/// What an app on a device is told by push, as long as somebody asks and the cloud is there.
public struct DeviceNotifications: AsyncSequence, Sendable {
    /// A notification, of the class of its kind.
    public typealias Element = CKNotification

    let cloud: LocalCloud
    let inbox: Inbox

    /// Takes one notification after another.
    public struct Iterator: AsyncIteratorProtocol {
        let notifications: DeviceNotifications

        /// Waits for the next one; nil when the task is cancelled.
        /// - Throws: `CKError` if the cloud cannot read what waits.
        public mutating func next() async throws -> CKNotification? { try await notifications.inbox.next() }
    }

    /// Begins with the first that nobody has taken.
    public func makeAsyncIterator() -> Iterator { Iterator(notifications: self) }
}
