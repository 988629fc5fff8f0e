import CloudModel
import Workers

/// Whose devices are meant.
struct PushOwner: Hashable, Sendable {
    let context: CloudContext
    let userRecordName: String
}

/// The devices that are here, or were a moment ago, and those who wait for their notifications.
///
/// Listeners sleep until a commit wakes them; nothing is read from the store meanwhile.
final class PushHub: Sendable {
    /// Told whether something came: false when the time is over or the seat is lost.
    typealias Waiter = @Sendable (Bool) -> Void

    /// A device's mailbox and who sits before it. Touched only under the hub's lock.
    private final class Seat {
        let owner: PushOwner
        let device: DeviceID
        var mailbox: Mailbox
        /// Whether the mailbox waits for what the store knows of the device.
        var isExpected = false
        /// Grows with each listener; an earlier one is over.
        var ticket: UInt64 = 0
        var isTaken = false
        var isStream = false
        var waiter: Waiter?
        /// Milliseconds of uptime at which the waiter is told that nothing came.
        var deadline: Int64 = 0
        /// When a notification was last handed out and not confirmed since.
        var handedOut: Int64?
        var lastSeen: Int64
        var stored: PushCursor

        init(_ owner: PushOwner, _ device: DeviceID, _ mailbox: Mailbox, at now: Int64) {
            self.owner = owner
            self.device = device
            self.mailbox = mailbox
            stored = mailbox.received
            lastSeen = now
        }
    }

    private struct State {
        var seats: [PushOwner: [Seat]] = [:]
        var isClosed = false
        var delivered: UInt64 = 0
    }

    /// A listener's claim on a device.
    struct Ticket: Sendable {
        let owner: PushOwner
        let device: DeviceID
        let number: UInt64
    }

    /// How far a device has certainly read, to be stored.
    struct Progress: Sendable {
        let owner: PushOwner
        let device: DeviceID
        let cursor: PushCursor
    }

    private let state = Lock(State())
    private let uptime: @Sendable () -> Int64

    init(uptime: @escaping @Sendable () -> Int64 = SystemClock.uptime) { self.uptime = uptime }

    // MARK: - Commits

    /// Takes the notifications of a durable commit to the devices that are here.
    func publish(_ notifications: [QueuedNotification], in context: CloudContext) {
        let woken = state.withLock { state in
            var woken: [Waiter] = []
            for notification in notifications {
                let owner = PushOwner(context: context, userRecordName: notification.notification.userRecordName)
                for seat in state.seats[owner] ?? [] where seat.mailbox.publish(notification) {
                    if let waiter = Self.takeWaiter(seat) { woken.append(waiter) }
                }
            }
            return woken
        }
        for waiter in woken { waiter(true) }
    }

    /// Makes room for a device that will come for what is about to be published, unless it is here.
    func expect(_ device: DeviceID, of owner: PushOwner) {
        let now = uptime()
        state.withLock { state in
            guard !state.isClosed, state.seats[owner]?.contains(where: { $0.device == device }) != true else { return }
            let seat = Seat(owner, device, Mailbox(), at: now)
            seat.isExpected = true
            state.seats[owner, default: []].append(seat)
        }
    }

    /// Drops what a deleted subscription had to say and was not handed out.
    func forget(_ subscriptionID: String, _ scope: DatabaseScope, of owner: PushOwner) {
        state.withLock { state in
            for seat in state.seats[owner] ?? [] {
                seat.mailbox.forget {
                    $0.notification.subscriptionID == subscriptionID && $0.notification.scope == scope
                }
            }
        }
    }

    // MARK: - Listeners

    /// Sits down before a device's mailbox; whoever sat there gets up.
    /// - Parameters:
    ///   - cursor: how far the device had read; counts only where it is not remembered.
    ///   - event: where the device says it stopped; nil lets the server decide.
    /// - Returns: nil when the hub is closed.
    func sit(
        _ owner: PushOwner, _ device: DeviceID, clientID: String?, cursor: PushCursor, after event: EventID?,
        isStream: Bool
    ) -> Ticket? {
        let now = uptime()
        let (ticket, former) = state.withLock { state -> (Ticket?, Waiter?) in
            guard !state.isClosed else { return (nil, nil) }
            let seat: Seat
            if let known = state.seats[owner]?.first(where: { $0.device == device }) {
                seat = known
                if seat.isExpected {
                    seat.mailbox.adopt(clientID: clientID, cursor: cursor)
                    seat.stored = cursor
                    seat.isExpected = false
                }
            } else {
                seat = Seat(owner, device, Mailbox(clientID: clientID, cursor: cursor), at: now)
                state.seats[owner, default: []].append(seat)
            }
            let former = Self.takeWaiter(seat)
            if let event {
                seat.mailbox.resume(after: event)
            } else if let handedOut = seat.handedOut {
                // Who has received something comes back at once; who comes late has lost it on the way.
                if now - handedOut < PushLimits.confirmationTime {
                    seat.mailbox.confirm()
                } else {
                    seat.mailbox.repeatLast()
                }
            }
            seat.handedOut = nil
            seat.ticket += 1
            seat.isTaken = true
            seat.isStream = isStream
            seat.lastSeen = now
            return (Ticket(owner: owner, device: device, number: seat.ticket), former)
        }
        former?(false)
        return ticket
    }

    /// What comes next for a listener; nil when it has lost its seat.
    func next(_ ticket: Ticket) -> Mailbox.Step? {
        let now = uptime()
        return state.withLock { state in
            guard let seat = Self.seat(ticket, in: state) else { return nil }
            let step = seat.mailbox.next()
            if case .deliver = step {
                seat.handedOut = now
                state.delivered += 1
            }
            return step
        }
    }

    /// Gives a listener's mailbox what the durable queue holds; nil if that could not be read.
    func fill(_ ticket: Ticket, _ stored: [QueuedNotification]?) {
        state.withLock { state in
            guard let seat = Self.seat(ticket, in: state) else { return }
            if let stored { seat.mailbox.fill(stored) } else { seat.mailbox.failLoading() }
        }
    }

    /// What was handed out last could not be sent.
    func putBack(_ ticket: Ticket) {
        state.withLock { state in
            guard let seat = Self.seat(ticket, in: state) else { return }
            seat.mailbox.repeatLast()
            seat.handedOut = nil
            state.delivered -= 1
        }
    }

    /// What was handed out was received for certain.
    func confirm(_ ticket: Ticket) {
        state.withLock { state in
            guard let seat = Self.seat(ticket, in: state) else { return }
            seat.mailbox.confirm()
            seat.handedOut = nil
        }
    }

    /// Sleeps until something comes: false when `patience` milliseconds are over, the seat is lost, or the task is
    /// cancelled.
    func wait(_ ticket: Ticket, patience: Int64) async -> Bool {
        if patience <= 0 { return state.withLock { Self.seat(ticket, in: $0)?.mailbox.isWaitOver ?? false } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(ticket, patience: patience, isCancelled: Task.isCancelled) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            stopWaiting(ticket)
        }
    }

    /// As ``wait(_:patience:)``, without a task: `waiter` is called once.
    func wait(_ ticket: Ticket, patience: Int64, isCancelled: Bool = false, _ waiter: @escaping Waiter) {
        let deadline = uptime() + patience
        let answer = state.withLock { state -> Bool? in
            guard let seat = Self.seat(ticket, in: state), !isCancelled else { return false }
            // Something may have come since the listener looked.
            if seat.mailbox.isWaitOver { return true }
            seat.waiter = waiter
            seat.deadline = deadline
            return nil
        }
        if let answer { waiter(answer) }
    }

    /// Tells a listener that waits to wait no more.
    func stopWaiting(_ ticket: Ticket) {
        let waiter = state.withLock { state in Self.seat(ticket, in: state).flatMap(Self.takeWaiter) }
        waiter?(false)
    }

    /// Whether a listener still has its seat.
    func isCurrent(_ ticket: Ticket) -> Bool { state.withLock { Self.seat(ticket, in: $0) != nil } }

    /// Gets up. The mailbox is kept for a while.
    func leave(_ ticket: Ticket) {
        let now = uptime()
        state.withLock { state in
            guard let seat = Self.seat(ticket, in: state) else { return }
            seat.isTaken = false
            seat.lastSeen = now
        }
    }

    // MARK: - Time

    /// Sends home who has waited long enough, and forgets devices that have not been here for a while. Called every
    /// second or so.
    /// - Returns: what should be stored of their reading.
    func tick(storing: Bool) -> [Progress] {
        let now = uptime()
        let (late, progress) = state.withLock { state in
            var late: [Waiter] = []
            var progress: [Progress] = []
            for (owner, seats) in state.seats {
                var remaining = seats
                for seat in seats {
                    if seat.deadline <= now, let waiter = Self.takeWaiter(seat) { late.append(waiter) }
                    if seat.isStream, let handedOut = seat.handedOut, now - handedOut >= PushLimits.confirmationTime {
                        seat.mailbox.confirm()
                        seat.handedOut = nil
                    }
                    let isGone = !seat.isTaken && now - seat.lastSeen >= PushLimits.mailboxTime
                    if isGone { remaining.removeAll { $0 === seat } }
                    guard isGone || storing, seat.mailbox.received != seat.stored else { continue }
                    seat.stored = seat.mailbox.received
                    progress.append(Progress(owner: owner, device: seat.device, cursor: seat.stored))
                }
                if remaining.count < seats.count { state.seats[owner] = remaining.isEmpty ? nil : remaining }
            }
            return (late, progress)
        }
        for waiter in late { waiter(false) }
        return progress
    }

    /// Sends everybody home; nobody sits down any more.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.seats.values.joined().compactMap { seat -> Waiter? in
                seat.ticket += 1
                seat.isTaken = false
                return Self.takeWaiter(seat)
            }
        }
        for waiter in waiters { waiter(false) }
    }

    /// Ends the listeners of a device that is no longer registered.
    func dismiss(_ device: DeviceID, of owner: PushOwner) {
        let waiter = state.withLock { state -> Waiter? in
            guard let seat = state.seats[owner]?.first(where: { $0.device == device }) else { return nil }
            state.seats[owner]?.removeAll { $0 === seat }
            if state.seats[owner]?.isEmpty == true { state.seats[owner] = nil }
            return Self.takeWaiter(seat)
        }
        waiter?(false)
    }

    /// Figures for the metrics page.
    func statistics() -> PushStatistics {
        state.withLock { state in
            let seats = state.seats.values.joined()
            return PushStatistics(
                devices: seats.count, listeners: seats.count { $0.isTaken }, delivered: state.delivered)
        }
    }

    private static func seat(_ ticket: Ticket, in state: State) -> Seat? {
        state.seats[ticket.owner]?.first { $0.device == ticket.device && $0.ticket == ticket.number }
    }

    private static func takeWaiter(_ seat: Seat) -> Waiter? {
        defer { seat.waiter = nil }
        return seat.waiter
    }
}

/// What the hub is doing.
public struct PushStatistics: Hashable, Sendable {
    /// Devices whose notifications are kept in memory.
    public var devices: Int
    /// Long polls and streams that are open.
    public var listeners: Int
    /// Notifications handed out since the start.
    public var delivered: UInt64
}
