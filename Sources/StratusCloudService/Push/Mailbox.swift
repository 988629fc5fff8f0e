/// What one device is still to be told, in memory: a state machine without clock, store or waiting.
///
/// While it is loaded it gets every notification in the order of its delivery. When more wait than fit, it forgets them
/// and loads again from the queue, which has the latest of each subscription: as if the device had been away.
struct Mailbox: Sendable {
    /// What comes next.
    enum Step: Equatable {
        case deliver(QueuedNotification, EventID)
        /// The durable queue must be read from this cursor on, and the result given to ``fill(_:)``.
        case load(PushCursor)
        case wait
    }

    /// Notifications kept, delivered ones included: for a device that comes back after a broken connection.
    static let most = 100
    /// Notifications kept while the queue is read.
    private static let mostWhileLoading = 1_000

    private enum Loading {
        /// What is published waits in the queue, and is not taken here.
        case absent
        case underWay
        case done
    }

    private var clientID: String?
    /// Oldest first; those before `position` were handed out.
    private var recent: [QueuedNotification] = []
    private var position = 0
    /// Behind everything handed out that left `recent`.
    private var base: PushCursor
    private var loading = Loading.absent
    /// Whether more came than fit while the queue was read.
    private var hasLostSome = false
    /// What a device has certainly received, as of an earlier look: what is stored for the time without memory.
    private(set) var received: PushCursor

    /// - Parameter cursor: how far the device had read when it was last here.
    init(clientID: String?, cursor: PushCursor) {
        self.clientID = clientID
        base = cursor
        received = cursor
    }

    /// Of a device that is sure to come, and is not read from the store yet: takes what is published from now on.
    init() {
        base = PushCursor()
        received = base
        loading = .underWay
    }

    /// What ``init()`` did not know, before anything is handed out.
    mutating func adopt(clientID: String?, cursor: PushCursor) {
        self.clientID = clientID
        base = cursor
        received = cursor
        recent.removeAll(where: isForItself)
    }

    /// Behind everything handed out.
    private var cursor: PushCursor { cursor(behind: position) }

    private func cursor(behind end: Int) -> PushCursor {
        var cursor = base
        for notification in recent[..<end] { cursor.advance(over: notification) }
        return cursor
    }

    /// A commit's notification. Returns whether the device has something to wake up for.
    mutating func publish(_ notification: QueuedNotification) -> Bool {
        guard !isForItself(notification), !contains(notification) else { return false }
        if loading == .absent { return true }
        recent[position...].removeAll { $0.isCovered(by: notification) }
        recent.append(notification)
        trim()
        return true
    }

    /// What the durable queue holds. What was published meanwhile stands behind it, but for what is earlier of the same lane: a
    /// commit is in the queue before it is published.
    mutating func fill(_ stored: [QueuedNotification]) {
        if hasLostSome {
            // The queue has the latest of what was lost, perhaps later than it was read.
            hasLostSome = false
            recent.removeSubrange(position...)
            loading = .absent
            return
        }
        loading = .done
        var front = position
        for notification in stored where !isForItself(notification) && !contains(notification) {
            let earlier = recent[position...].lastIndex {
                $0.lane == notification.lane && $0.sequence < notification.sequence
            }
            let place = earlier.map { $0 + 1 } ?? front
            recent.insert(notification, at: place)
            if place <= front { front += 1 }
        }
    }

    /// The durable queue could not be read.
    mutating func failLoading() { loading = .absent }

    /// Whether ``next()`` says anything but ``Step/wait``.
    var isWaitOver: Bool { loading != .done || position < recent.count }

    mutating func next() -> Step {
        guard loading == .done else {
            loading = .underWay
            return .load(cursor)
        }
        guard position < recent.count else { return .wait }
        let notification = recent[position]
        position += 1
        return .deliver(
            notification, EventID(cursor: cursor, lane: notification.lane, sequence: notification.sequence))
    }

    /// The last handed out was probably not received: it comes again.
    mutating func repeatLast() { if position > 0 { position -= 1 } }

    /// All handed out until now was received.
    mutating func confirm() { received = cursor }

    /// Goes on behind an event that the device names.
    mutating func resume(after event: EventID) {
        if let index = recent.firstIndex(where: { $0.lane == event.lane && $0.sequence == event.sequence }) {
            position = index + 1
        } else {
            // Not of what is remembered: what the queue has beyond it comes again, and perhaps more than once.
            recent = []
            position = 0
            base = event.cursor
            loading = .absent
        }
        received = cursor
    }

    /// Forgets what a deleted subscription had to say.
    mutating func forget(where isForgotten: (QueuedNotification) -> Bool) {
        recent[position...].removeAll(where: isForgotten)
    }

    private func isForItself(_ notification: QueuedNotification) -> Bool {
        clientID != nil && notification.originClientID == clientID
    }

    private func contains(_ notification: QueuedNotification) -> Bool {
        recent.contains { $0.lane == notification.lane && $0.sequence == notification.sequence }
    }

    private mutating func trim() {
        if loading == .underWay, recent.count - position > Self.mostWhileLoading {
            recent.remove(at: position)
            hasLostSome = true
        }
        if loading == .done, recent.count - position > Self.most {
            base = cursor
            recent = []
            position = 0
            loading = .absent
        }
        while recent.count > Self.most, position > 0 {
            base.advance(over: recent.removeFirst())
            position -= 1
        }
    }
}
