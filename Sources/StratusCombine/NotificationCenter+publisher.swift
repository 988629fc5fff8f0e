import Foundation

extension NotificationCenter {
    /// Tells notifications, from when somebody listens until they end it.
    public struct Publisher: StratusCombine.Publisher {
        /// What is told.
        public typealias Output = Notification
        /// Never ends early.
        public typealias Failure = Never

        /// Where the notifications are posted.
        public let center: NotificationCenter
        /// Which notifications.
        public let name: Notification.Name
        /// Who posts them; nil for everybody.
        public let object: AnyObject?

        /// A publisher of notifications.
        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
            let listening = Listening(Conduit(subscriber, keepsLatest: false), center)
            subscriber.receive(subscription: listening)
            listening.begin(name, object)
        }
    }

    /// Tells notifications of a name.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }

    /// `@unchecked Sendable`: the conduit guards itself, the center is made for many threads, and what changes is under a lock.
    private final class Listening: Subscription, @unchecked Sendable {
        private let conduit: Conduit<Notification, Never>
        private let center: NotificationCenter
        private let lock = NSLock()
        private var observer: (any NSObjectProtocol)?

        init(_ conduit: Conduit<Notification, Never>, _ center: NotificationCenter) {
            self.conduit = conduit
            self.center = center
        }

        func begin(_ name: Notification.Name, _ object: AnyObject?) {
            let observer = center.addObserver(forName: name, object: object, queue: nil) { [self] in conduit.send($0) }
            lock.withLock { self.observer = observer }
            // The subscriber may have ended it as soon as it began.
            if !conduit.isOpen { cancel() }
        }

        func request(_ demand: Subscribers.Demand) { conduit.request(demand) }

        func cancel() {
            conduit.cancel()
            let former = lock.withLock {
                defer { observer = nil }
                return observer
            }
            if let former { center.removeObserver(former) }
        }
    }
}
