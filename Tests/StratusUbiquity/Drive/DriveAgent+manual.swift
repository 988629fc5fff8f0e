import Foundation

@testable import StratusUbiquity

/// An agent that synchronizes only when a test says so.
extension DriveAgent {
    /// Begins.
    /// - Parameter newID: Chooses the names of records.
    func startManually(newID: (@Sendable () -> String)? = nil) throws {
        if let newID { self.newID = newID }
        try prepare()
        cloud.start(try state.setting("engine"), isListing: try isListing, user: try user, automatically: false) {}
    }

    /// Calls a test between two steps.
    func at(checkpoint: @escaping @Sendable (String) throws -> Void) { self.checkpoint = checkpoint }

    /// Chooses how many seconds the agent waits for programs that use an item.
    func wait(forPrograms seconds: Double) { coordination.patience = seconds }

    /// Chooses how the agent coordinates with programs.
    func coordinate(with peer: @escaping @Sendable () throws -> CoordinationPeer) { coordination.peer = peer }

    /// What the agent knows of an item.
    func entry(_ id: String) throws -> DriveEntry? { try state[id] }
}
