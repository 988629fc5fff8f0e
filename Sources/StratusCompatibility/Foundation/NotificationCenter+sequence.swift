import Foundation

extension NotificationCenter {
    /// The notifications of a name, from now on, until the loop over them ends. Those that are posted while the loop's
    /// body runs wait.
    public func notifications(named name: Notification.Name, object: (any AnyObject & Sendable)? = nil) -> Notifications
    {
        Notifications(center: self, name: name, object: object)
    }

    /// See ``notifications(named:object:)``.
    public struct Notifications: AsyncSequence, Sendable {
        /// A notification.
        public typealias Element = Notification

        fileprivate let center: NotificationCenter
        fileprivate let name: Notification.Name
        fileprivate let object: (any AnyObject & Sendable)?

        /// Begins to listen.
        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
            let observer = center.addObserver(forName: name, object: object, queue: nil) {
                continuation.yield(Posted(notification: $0))
            }
            let registration = Registration(center: center, observer: observer)
            continuation.onTermination = { _ in registration.end() }
            return Iterator(posted: stream.makeAsyncIterator(), registration: registration)
        }

        /// Waits for one notification after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var posted: AsyncStream<Posted>.Iterator
            /// Ends with the iterator.
            fileprivate let registration: Registration

            /// The next notification; nil once the task is cancelled.
            public mutating func next() async -> Notification? { await posted.next()?.notification }
        }
    }
}

// Handed on untouched, from the thread that posts to the one that waits. What the notification carries is as safe there
// as with any observer that a queue calls, which is for who posts it to know.
private struct Posted: @unchecked Sendable {
    let notification: Notification
}

// The observer is only given back to the center, whose methods may be called from any thread.
private final class Registration: @unchecked Sendable {
    private let center: NotificationCenter
    private let observer: any NSObjectProtocol

    init(center: NotificationCenter, observer: any NSObjectProtocol) {
        self.center = center
        self.observer = observer
    }

    func end() { center.removeObserver(observer) }

    deinit { end() }
}
