import Foundation
import Glibc
import StratusDeviceCredentials

// `stratus drive run` goes before apps. It holds a lock of its own from before it asks the app that is the agent to give
// up until it ends. An app looks at this lock after it has begun to listen, so one of the two always notices the other.
extension DriveAddress {
    /// The right to be the agent, for as long as it exists.
    package struct Takeover: Sendable {
        package let lock: FileLock
        fileprivate let intention: FileLock
    }

    /// Makes this process the agent before all apps. Blocks until an app that is the agent has ended its step.
    /// - Parameter waits: Called before it waits for an app.
    /// - Throws: `agentExists` if another process that goes before apps is the agent.
    package func takeOver(waits: () -> Void) throws(DriveError) -> Takeover {
        try prepare()
        let intention = try announce()
        var hasWaited = false
        while true {
            if let lock = try lock(agentPath, waits: false) { return Takeover(lock: lock, intention: intention) }
            let isHeard = try askToHandOver()
            if !hasWaited { waits() }
            hasWaited = true
            if isHeard { break }
            // An app that has just begun does not listen yet, and one with too many connections does not answer.
            usleep(DriveLimits.announcementPause)
        }
        guard let lock = try lock(agentPath, waits: true) else { throw agentExists }
        return Takeover(lock: lock, intention: intention)
    }

    /// Asks the app that is the agent to give up.
    /// - Returns: Whether the app has heard it.
    /// - Throws: `agentExists` if the agent is a process that goes before apps.
    private func askToHandOver() throws(DriveError) -> Bool {
        switch DriveConnection(at: self).answer(to: .handOver) {
        case .success: return true
        case .failure(let error):
            if error.code == .agentExists { throw error }
            return false
        }
    }

    /// Takes the lock by which apps notice this process.
    private func announce() throws(DriveError) -> FileLock {
        // Apps that look at the lock hold it for a moment.
        for _ in 0..<DriveLimits.announcements {
            if let intention = try lock(intentionPath, waits: false) { return intention }
            _ = try askToHandOver()
            usleep(DriveLimits.announcementPause)
        }
        throw agentExists
    }

    // MARK: - Apps

    /// Whether a process that goes before apps is the agent, or waits to be.
    func isTakenOver() throws(DriveError) -> Bool {
        try lock(intentionPath, waits: false, isShared: true) == nil
    }

    /// Makes an app the agent, if no other process is it.
    /// - Parameter waits: Whether to block until no other process is the agent.
    func becomeAgent(waits: Bool) throws(DriveError) -> FileLock? {
        try prepare()
        while true {
            // Released at once: it only shows that nobody goes before apps.
            guard try lock(intentionPath, waits: waits, isShared: true) != nil else { return nil }
            guard let lock = try lock(agentPath, waits: waits) else { return nil }
            // A process that goes before apps may have come while this one waited.
            if try !isTakenOver() { return lock }
            guard waits else { return nil }
        }
    }
}
