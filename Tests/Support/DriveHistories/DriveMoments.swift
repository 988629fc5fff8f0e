import Foundation
import StratusSQLite
import StratusUbiquity
import StratusWorkers

/// The moments of one work of an agent, and what happens at them.
final class DriveMoments: Sendable {
    private struct State {
        var count = 0
        var incidents: [DriveIncident]
        var hasEnded = false
        /// Devices that synchronize while this one waits for the server.
        var others: [Int] = []
        var trace: [String] = []
    }

    private let person: DrivePerson
    private let disk: DriveDisk
    private let isTraced: Bool
    private let state: Lock<State>

    init(_ incidents: [DriveIncident], _ device: DriveDevice, isTraced: Bool) {
        (person, disk, self.isTraced) = (device.person, device.disk, isTraced)
        state = Lock(State(incidents: incidents))
    }

    /// Whether the process has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var trace: [String] { state.withLock { $0.trace } }

    /// - Throws: `DriveProcessEnd` where the process ends, and from then on; or the error of a full disk.
    func reach(_ moment: DriveMoment, _ name: String) throws {
        let events = state.withLock { state -> [DriveIncident.Event] in
            guard !state.hasEnded else { return [.end] }
            state.count += 1
            if isTraced { state.trace.append("    \(state.count) \(moment) \(name.prefix(40))") }
            return state.incidents.filter { $0.moment == state.count }.map(\.event)
        }
        for event in events {
            switch event {
            case .use(let use): person.use(use)
            case .synchronize(let other): state.withLock { $0.others.append(other) }
            case .end:
                state.withLock { $0.hasEnded = true }
                throw DriveProcessEnd()
            }
        }
        switch moment {
        case .creating: if !disk.take() { throw CocoaError(.fileWriteOutOfSpace) }
        case .noting: if !disk.take() { throw SQLiteError(.diskFull, "the disk is full") }
        default: break
        }
    }

    /// Takes the devices that synchronize now.
    func takeOthers() -> [Int] {
        state.withLock { state in
            defer { state.others = [] }
            return state.others
        }
    }
}
