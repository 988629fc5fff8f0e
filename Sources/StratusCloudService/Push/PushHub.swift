import StratusCloudModel
import StratusWorkers

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

    struct State {
        var seats: [PushOwner: [PushSeat]] = [:]
        var isClosed = false
        var delivered: UInt64 = 0

        /// The seat of a listener who has not lost it.
        func seat(_ ticket: Ticket) -> PushSeat? {
            seats[ticket.owner]?.first { $0.device == ticket.device && $0.ticket == ticket.number }
        }
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

    let state = Lock(State())
    let uptime: @Sendable () -> Int64

    init(uptime: @escaping @Sendable () -> Int64 = SystemClock.uptime) { self.uptime = uptime }

    /// Figures for the metrics page.
    func statistics() -> PushStatistics {
        state.withLock { state in
            let seats = state.seats.values.joined()
            return PushStatistics(
                devices: seats.count, listeners: seats.count { $0.isTaken }, delivered: state.delivered)
        }
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
