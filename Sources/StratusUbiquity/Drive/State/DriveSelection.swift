/// The items that a person wants on this machine: all but those in folders that are not selected, and those of names that
/// are ignored. Leaving an item out deletes it nowhere else.
struct DriveSelection {
    /// The records of folders that are not selected.
    var deselected: Set<String> = []
    /// Whether an item of a name stays where it is.
    var ignores: (String) -> Bool = { _ in false }

    /// Whether an item of the server, or a folder around it, is left out on this machine.
    func leavesOut(_ entry: DriveEntry, in state: DriveState) throws -> Bool {
        var next: DriveEntry? = entry
        for _ in 0..<DriveLimits.depth {
            guard let current = next, let remote = current.remote else { return false }
            // An item of an ignored name that is here is one that was here before: it stays, and is synchronized.
            if deselected.contains(current.id) || entry.local == nil && ignores(remote.shape.place.name) { return true }
            let folder = remote.shape.place.folder
            guard !folder.isEmpty else { return false }
            next = try state[folder]
        }
        return false
    }
}
