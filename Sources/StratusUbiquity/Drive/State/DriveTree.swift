/// The trees as they are related: who is in whose folder.
struct DriveTree {
    private let state: DriveState
    private let selection: DriveSelection
    /// Items by the folder that they are in here.
    private var localChildren: [String: [String]] = [:]

    init(_ state: DriveState, _ selection: DriveSelection = DriveSelection()) {
        self.state = state
        self.selection = selection
        for entry in state.entries.values {
            if let folder = entry.local?.shape.place.folder { localChildren[folder, default: []].append(entry.id) }
        }
    }

    /// All items: folders before what is in them, in an order that does not depend on chance.
    var order: [String] {
        var depths: [(depth: Int, id: String)] = []
        for id in state.entries.keys { depths.append((depth(id), id)) }
        return depths.sorted { ($0.depth, $0.id) < ($1.depth, $1.id) }.map(\.id)
    }

    private func depth(_ id: String) -> Int {
        var depth = 0
        var next: String? = id
        while let id = next, depth <= DriveLimits.depth {
            let entry = state[id]
            let folder = entry?.remote?.shape.place.folder ?? entry?.local?.shape.place.folder
            next = folder.flatMap { $0.isEmpty ? nil : $0 }
            depth += 1
        }
        return depth
    }

    var reconciler: DriveReconciler {
        DriveReconciler(
            isAlive: isAlive, hasLocalChanges: { hasLocalChanges(in: $0.id, depth: 0) },
            hasRemoteChanges: { hasRemoteChanges(in: $0.id, depth: 0) },
            isLeftOut: { selection.leavesOut($0, in: state) })
    }

    /// Whether the server has an item, in folders that lead to the root. Loops, which only a hostile server has, do not.
    func isAlive(_ entry: DriveEntry) -> Bool {
        var remote = entry.remote
        var depth = 0
        while let current = remote, !current.isDeleted {
            let folder = current.shape.place.folder
            if folder.isEmpty { return true }
            depth += 1
            guard depth <= DriveLimits.depth, let parent = state[folder]?.remote, parent.shape.kind == .folder else {
                return false
            }
            remote = parent
        }
        return false
    }

    private func hasLocalChanges(in folder: String, depth: Int) -> Bool {
        guard depth <= DriveLimits.depth else { return true }
        return (localChildren[folder] ?? []).contains { id in
            guard let entry = state[id], let local = entry.local else { return false }
            guard let synced = entry.synced else { return true }
            return entry.isEdited || local.shape != synced.shape
                || local.shape.kind == .folder && hasLocalChanges(in: id, depth: depth + 1)
        }
    }

    private func hasRemoteChanges(in folder: String, depth: Int) -> Bool {
        guard depth <= DriveLimits.depth else { return true }
        return (state.remoteChildren[folder] ?? []).contains { id in
            guard let entry = state[id], let remote = entry.remote else { return false }
            guard let synced = entry.synced else { return true }
            return entry.isNewer || remote.shape != synced.shape
                || remote.shape.kind == .folder && hasRemoteChanges(in: id, depth: depth + 1)
        }
    }
}
