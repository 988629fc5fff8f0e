import StratusCloudModel

/// A device's mailbox and who sits before it. Touched only under the hub's lock.
final class PushSeat {
    let owner: PushOwner
    let device: DeviceID
    var mailbox: Mailbox
    /// Whether the mailbox waits for what the store knows of the device.
    var isExpected = false
    /// Grows with each listener; an earlier one is over.
    var ticket: UInt64 = 0
    var isTaken = false
    /// The hash of the API token that the device was registered with.
    var apiToken: [UInt8]?
    /// The hash of the session in which the device was registered.
    var session: [UInt8]?
    var isStream = false
    var waiter: PushHub.Waiter?
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

    /// Who waits, to be told, and waits no more.
    func takeWaiter() -> PushHub.Waiter? {
        defer { waiter = nil }
        return waiter
    }
}
