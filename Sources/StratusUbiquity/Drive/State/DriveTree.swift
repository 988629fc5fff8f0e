/// The trees as they are related: who is in whose folder.
///
/// Facts about a folder of the server are remembered until a folder there is moved, deleted or restored, so that a
/// comparison does not go through the folders around each item.
final class DriveTree {
    /// The effect of the folders around an item on it.
    private struct Folder {
        /// Whether the server has the folder, in folders that lead to the root.
        var isAlive = true
        /// Whether it, or a folder around it, is not selected here.
        var isDeselected = false
        /// Whether it, or a folder around it, has a name that is ignored here.
        var isIgnored = false
        var depth = 0
    }

    let selection: DriveSelection
    private let state: DriveState
    private var folders: [String: Folder] = [:]
    /// The ``DriveState/foldersVersion`` of `folders`.
    private var foldersVersion = 0
    /// The ``DriveState/placesVersion`` at which nothing was here that is in a folder that is not wanted here.
    private var tidyVersion: Int?

    init(_ state: DriveState, _ selection: DriveSelection) {
        self.state = state
        self.selection = selection
    }

    /// The items with which something may have to be done: folders before what is in them, in an order that does not
    /// depend on chance, and the items of a folder one after the other.
    var order: [String] {
        get throws {
            var depths: [String: Int] = [:]
            var items: [(depth: Int, folder: String, id: String)] = []
            for id in try unsettled {
                let folder = try state.folder(around: id) ?? ""
                items.append((try depth(folder, &depths), folder, id))
            }
            return items.sorted { ($0.depth, $0.folder, $0.id) < ($1.depth, $1.folder, $1.id) }.map(\.id)
        }
    }

    private var unsettled: Set<String> {
        get throws {
            var ids = Set(try state.pendingItems())
            for id in selection.deselected where try state.isPresent(id) { ids.insert(id) }
            for folder in try state.foldersOfRemoteItems() {
                guard try isWanted(folder), try !self.folder(folder).isIgnored else { continue }
                for (id, name) in try state.remoteItems(in: folder)
                where !selection.ignores(name) && !selection.deselected.contains(id) {
                    ids.insert(id)
                }
            }
            ids.formUnion(try unwanted)
            return ids
        }
    }

    /// Items of which this device has something, in folders that the server has not or that are not selected.
    private var unwanted: [String] {
        get throws {
            let version = state.placesVersion
            guard tidyVersion != version else { return [] }
            var ids: [String] = []
            for folder in try state.foldersOfPresentItems() where try !isWanted(folder) {
                ids += try state.presentItems(in: folder)
            }
            tidyVersion = ids.isEmpty ? version : nil
            return ids
        }
    }

    private func isWanted(_ folder: String) throws -> Bool {
        let known = try self.folder(folder)
        return known.isAlive && !known.isDeselected
    }

    private func depth(_ folder: String, _ known: inout [String: Int]) throws -> Int {
        var way: [String] = []
        var next = folder
        while !next.isEmpty, known[next] == nil, way.count <= DriveLimits.depth {
            way.append(next)
            next = try state.folder(around: next) ?? ""
        }
        var depth = known[next] ?? 0
        for folder in way.reversed() {
            depth += 1
            known[folder] = depth
        }
        return depth
    }

    var reconciler: DriveReconciler {
        DriveReconciler(
            isAlive: isAlive, hasLocalChanges: { try self.hasLocalChanges(in: $0.id, depth: 0) },
            hasRemoteChanges: { try self.hasRemoteChanges(in: $0.id, depth: 0) }, isLeftOut: isLeftOut)
    }

    /// Whether the server has an item, in folders that lead to the root. Loops, which only a hostile server has, do not.
    func isAlive(_ entry: DriveEntry) throws -> Bool {
        guard let remote = entry.remote, !remote.isDeleted else { return false }
        return try isAlive(folder: remote.shape.place.folder)
    }

    /// Whether the server has a folder, in folders that lead to the root.
    func isAlive(folder: String) throws -> Bool { try self.folder(folder).isAlive }

    /// Whether an item of the server, or a folder around it, is left out on this machine.
    private func isLeftOut(_ entry: DriveEntry) throws -> Bool {
        guard let place = entry.remote?.shape.place else { return false }
        let folder = try folder(place.folder)
        if folder.isDeselected || selection.deselected.contains(entry.id) { return true }
        // An item of an ignored name that is here is one that was here before: it stays, and is synchronized.
        return entry.local == nil && (folder.isIgnored || selection.ignores(place.name))
    }

    private func folder(_ id: String) throws -> Folder {
        if foldersVersion != state.foldersVersion { (folders, foldersVersion) = ([:], state.foldersVersion) }
        var way: [(id: String, name: String)] = []
        var next = id
        var found = Folder()
        while !next.isEmpty {
            if let known = folders[next] {
                found = known
                break
            }
            guard way.count <= DriveLimits.depth, let place = try state.remotePlace(ofFolder: next) else {
                found.isAlive = false
                break
            }
            way.append((next, place.name))
            next = place.folder
        }
        for (id, name) in way.reversed() {
            found.depth += 1
            if found.depth > DriveLimits.depth { found.isAlive = false }
            if selection.deselected.contains(id) { found.isDeselected = true }
            if selection.ignores(name) { found.isIgnored = true }
            folders[id] = found
        }
        return found
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
