/// The next step for one item.
enum DriveStep: Hashable, Sendable {
    /// Both agree.
    case nothing
    /// Nobody knows the item any more.
    case forget
    /// The two are the same already.
    case adopt
    case createLocal, moveLocal, downloadLocal, removeLocal
    /// Lets a placeholder stand for the newest content.
    case renewPlaceholder
    case save(content: Bool)
    case removeRemote
    /// Brings an item back to the server that was deleted there and changed here.
    case restoreRemote
}

/// Decides the next step for an item from its three states, without disk, network or clock.
struct DriveReconciler {
    /// Whether the server has the item, and all folders around it, not deleted.
    var isAlive: (DriveEntry) throws -> Bool
    /// Whether something in a folder was changed here and is not on the server.
    var hasLocalChanges: (DriveEntry) throws -> Bool
    /// Whether something in a folder was changed on the server and is not here.
    var hasRemoteChanges: (DriveEntry) throws -> Bool
    /// Whether the item of the server is not wanted on this machine.
    var isLeftOut: (DriveEntry) throws -> Bool

    func step(_ entry: DriveEntry) throws -> DriveStep {
        let isAlive = try isAlive(entry)
        if isAlive, try isLeftOut(entry), let step = leftOut(entry) { return step }
        switch (entry.local != nil, isAlive, entry.synced != nil) {
        case (false, false, false): return entry.remote == nil ? .forget : .nothing
        case (false, false, true): return .forget
        case (true, false, false): return returned(entry) ?? .save(content: true)
        case (false, true, false): return .createLocal
        case (true, true, false): return met(entry)
        case (false, true, true): return try deletedHere(entry)
        case (true, false, true): return try deletedThere(entry)
        case (true, true, true): return changed(entry)
        }
    }

    /// Returns the step for an item that is not wanted on this machine: what the server has of it is removed here, and
    /// that it is not here says nothing. Nil for changes that the server does not have yet, which are synchronized first.
    private func leftOut(_ entry: DriveEntry) -> DriveStep? {
        guard let local = entry.local else { return entry.synced == nil ? .nothing : .forget }
        guard let synced = entry.synced, let remote = entry.remote else { return nil }
        if entry.isEdited { return .save(content: true) }
        if local.shape != synced.shape, remote.shape == synced.shape { return .save(content: false) }
        return .removeLocal
    }

    /// Returns the step for an item that both sides have, but never agreed on, such as after a lost answer.
    private func met(_ entry: DriveEntry) -> DriveStep {
        entry.local?.shape.kind.hasContent == true ? .save(content: true) : .adopt
    }

    /// A change elsewhere wins over a deletion here.
    private func deletedHere(_ entry: DriveEntry) throws -> DriveStep {
        if entry.isNewer { return .createLocal }
        if entry.remote?.shape.kind == .folder, try hasRemoteChanges(entry) { return .createLocal }
        return .removeRemote
    }

    /// A change here wins over a deletion elsewhere.
    private func deletedThere(_ entry: DriveEntry) throws -> DriveStep {
        if let remote = entry.remote, !remote.isDeleted, entry.isMovedOut { return .save(content: entry.isEdited) }
        let isChanged = try entry.isEdited || entry.local?.shape.kind == .folder && hasLocalChanges(entry)
        guard isChanged else { return .removeLocal }
        return returned(entry) ?? .save(content: true)
    }

    /// Returns the step that brings an item back from Recently Deleted on the server, or from a folder there; nil if the
    /// server does not have it.
    private func returned(_ entry: DriveEntry) -> DriveStep? {
        guard let remote = entry.remote else { return nil }
        if remote.isDeleted { return .restoreRemote }
        // The folder around it comes back first.
        return entry.local?.shape.place.folder == remote.shape.place.folder ? .nothing : .save(content: true)
    }

    private func changed(_ entry: DriveEntry) -> DriveStep {
        guard let local = entry.local, let remote = entry.remote, let synced = entry.synced else { return .nothing }
        // Who came first to the server has moved it.
        if remote.shape != synced.shape { return local.shape == remote.shape ? .adopt : .moveLocal }
        if entry.isEdited { return .save(content: true) }
        // Before a move is sent, which may be to a name that has no room for a placeholder.
        if local.isPlaceholder, entry.isKeptHere { return .downloadLocal }
        if local.shape != synced.shape { return .save(content: false) }
        guard entry.isNewer else { return .nothing }
        return local.isPlaceholder ? .renewPlaceholder : .downloadLocal
    }
}
