import StratusWorkers

/// A moment in the work of an agent.
package enum DriveMoment: String, Hashable, Sendable {
    /// Something is made on the disk, which needs room there.
    case creating
    /// The database of the agent is written, which needs room, too.
    case noting
    /// Something on the disk is moved, exchanged or given another mode.
    case moving
    /// Something on the disk is removed.
    case removing
    /// A change of the disk was made that the database does not know yet.
    case changed
    /// A step of a comparison begins.
    case step
    /// The server said what it has, and nothing was compared yet.
    case fetched
    /// Records are about to be sent.
    case sending
    /// The server has answered, and the answer was not noted yet.
    case sent
}

/// Thrown by a callback of ``DriveCheckpoints`` where the process is to end.
package struct DriveProcessEnd: Error {
    package init() {}
}

/// Calls back at each moment of an agent's work, in particular before each change of the disk. Tests let the process end
/// there, or others do something meanwhile. Without a callback nothing happens.
package final class DriveCheckpoints: Sendable {
    package typealias Body = @Sendable (DriveMoment, String) throws -> Void
    package typealias Pause = @Sendable (DriveMoment) async throws -> Void

    private let bodies = Lock<(body: Body?, pause: Pause?)>((nil, nil))

    /// - Parameters:
    ///   - body: Called with the name of the item at each moment. If it throws, the step fails with its error.
    ///   - pause: Called at ``DriveMoment/fetched``, ``DriveMoment/sending`` and ``DriveMoment/sent``, after `body`.
    package func set(_ body: Body?, pause: Pause? = nil) { bodies.withLock { $0 = (body, pause) } }

    func callAsFunction(_ moment: DriveMoment, _ name: String) throws {
        guard let body = bodies.withLock({ $0.body }) else { return }
        try body(moment, name)
    }

    /// A moment at which nothing is on its way, so that others can do something that takes longer.
    func pause(_ moment: DriveMoment) async throws {
        try self(moment, "")
        guard let pause = bodies.withLock({ $0.pause }) else { return }
        try await pause(moment)
    }

    /// Whether a change may be made of which nobody would be told that it failed.
    func allows(_ moment: DriveMoment, _ name: String) -> Bool {
        do { try self(moment, name) } catch { return false }
        return true
    }
}
