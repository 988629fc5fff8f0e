/// The trees as they are related: who is in whose folder.
struct DriveTree {
    private let state: DriveState
    private let selection: DriveSelection

    init(_ state: DriveState, _ selection: DriveSelection = DriveSelection()) {
        self.state = state
        self.selection = selection
    }

    /// The items with which something may have to be done: folders before what is in them, in an order that does not
    /// depend on chance.
    var order: [String] {
        get throws {
            var folders: [String: Int] = [:]
            var depths: [(depth: Int, id: String)] = []
            for id in try unsettled {
                let folder = try state.folder(around: id) ?? ""
                let depth = try folders[folder] ?? self.depth(folder)
                folders[folder] = depth
                depths.append((depth, id))
            }
            return depths.sorted { ($0.depth, $0.id) < ($1.depth, $1.id) }.map(\.id)
        }
    }

    /// Items that differ, and all in folders that the server has not, or that are not wanted here.
    private var unsettled: Set<String> {
        get throws {
            var ids = Set(try state.pendingItems())
            for id in selection.deselected where try state[id] != nil { ids.insert(id) }
            for folder in try state.remoteFolders() where !folder.isEmpty {
                if try isAlive(folder: folder), let entry = try state[folder],
                    try !selection.leavesOut(entry, in: state)
                {
                    continue
                }
                ids.formUnion(try state.remoteItems(in: folder))
            }
            return ids
        }
    }

    private func depth(_ id: String) throws -> Int {
        var depth = 0
        var next: String? = id.isEmpty ? nil : id
        while let id = next, depth <= DriveLimits.depth {
            next = try state.folder(around: id).flatMap { $0.isEmpty ? nil : $0 }
            depth += 1
        }
        return depth
    }

    var reconciler: DriveReconciler {
        DriveReconciler(
            isAlive: isAlive, hasLocalChanges: { try hasLocalChanges(in: $0.id, depth: 0) },
            hasRemoteChanges: { try hasRemoteChanges(in: $0.id, depth: 0) },
            isLeftOut: { try selection.leavesOut($0, in: state) })
    }

    /// Whether the server has an item, in folders that lead to the root. Loops, which only a hostile server has, do not.
    func isAlive(_ entry: DriveEntry) throws -> Bool {
        guard let remote = entry.remote, !remote.isDeleted else { return false }
        return try isAlive(folder: remote.shape.place.folder)
    }

    /// Whether the server has a folder, in folders that lead to the root.
    func isAlive(folder: String) throws -> Bool {
        var folder = folder
        for _ in 0...DriveLimits.depth {
            if folder.isEmpty { return true }
            guard let parent = try state.remoteFolder(around: folder) else { return false }
            folder = parent
        }
        return false
    }

    private func hasLocalChanges(in folder: String, depth: Int) throws -> Bool {
        guard depth <= DriveLimits.depth else { return true }
        if try state.hasLocalChange(in: folder) { return true }
        return try state.localFolders(in: folder).contains { try hasLocalChanges(in: $0, depth: depth + 1) }
    }

    private func hasRemoteChanges(in folder: String, depth: Int) throws -> Bool {
        guard depth <= DriveLimits.depth else { return true }
        if try state.hasRemoteChange(in: folder) { return true }
        return try state.remoteFolders(in: folder).contains { try hasRemoteChanges(in: $0, depth: depth + 1) }
    }
}
