import Foundation

@testable import StratusUbiquity

extension DriveAgent {
    /// Chooses how many seconds the agent waits for programs that use an item.
    func wait(forPrograms seconds: Double) { coordination.patience = seconds }

    /// Chooses how the agent coordinates with programs.
    func coordinate(with peer: @escaping @Sendable () throws -> CoordinationPeer) { coordination.peer = peer }

    /// Lets the agent's record of an item be unreadable.
    func damageRecord(_ id: String) throws { try keep(systemFields: Data([1]), of: id) }

    /// Lets the agent know of an item what earlier versions knew: an archive of its record, and no change tag.
    func keep(systemFields: Data, of id: String) throws {
        try state.change(id) { entry in
            entry.remote?.changeTag = nil
            entry.remote?.systemFields = systemFields
        }
    }

    /// Watches no more directories than this.
    func watch(atMost limit: Int) {
        watch?.stop()
        watch = DirectoryWatch(seesWrites: true, limit: limit, queue: nil)
    }

    /// The directories that changed since they were scanned, as far as they are watched.
    func changedPaths() -> [String] {
        (watch?.takeChanges().paths ?? []).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What the agent knows of an item.
    func entry(_ id: String) throws -> DriveEntry? { try state[id] }

    /// Lets new items take their places together, however slow the machine is.
    func placeTogether() { placementDelay = .seconds(3_600) }

    /// The items that a comparison would look at.
    var comparedItems: [String] { get throws { try tree.order } }
}
