import Foundation

/// Finds changes of the directory.
extension DriveAgent {
    /// Scans the directories in which something happened, or the whole container where that is not known.
    func scan() throws {
        let state = try state
        guard try state.setting("directory") == folder.identity else {
            throw DriveFailure.changed(folder.path)
        }
        let formerlyIgnored = ignoredNames
        try readIgnoredNames()
        if ignoredNames != formerlyIgnored { needsWholeScan = true }
        let isWhole = try takeChanges()
        let ignores = ignores
        let scan = try DriveScan(
            folder, state, watch, directories: isWhole ? nil : changedDirectories, itemsIn: missed,
            ignores: { ignores($0) }, newID: newID)
        // Not another directory meanwhile, as when a disk was unmounted.
        guard try state.setting("directory") == folder.identity else { throw DriveFailure.changed(folder.path) }
        for names in scan.spentPlaceholders {
            guard let name = names.last else { continue }
            try folder.directory(Array(names.dropLast())).remove(name)
        }
        try note(scan)
        (changedDirectories, needsWholeScan) = ([], scan.missesFolders)
        guard isWhole else { return unwatched += scan.unwatched }
        watch?.forget(except: scan.paths)
        (unwatched, scanned) = (scan.unwatched, .now)
    }

    /// Takes over in which directories something happened.
    /// - Returns: Whether the whole container has to be scanned.
    private func takeChanges() throws -> Bool {
        guard let watch else { return true }
        let changes = watch.takeChanges()
        changedDirectories.formUnion(changes.paths)
        if changes.isIncomplete { needsWholeScan = true }
        let root = try DriveDirectory.root(folder.path).status(".")?.stamp.inode ?? 0
        if needsWholeScan || !watch.isFollowing(folder.path, inode: root) { return true }
        return unwatched > 0 || ContinuousClock.now - scanned >= DriveLimits.wholeScan
    }

    /// Time after which a scan is due, though nothing has happened.
    var scanInterval: Duration { unwatched > 0 ? DriveLimits.unwatchedScan : DriveLimits.wholeScan }

    private func note(_ scan: DriveScan) throws {
        let state = try state
        let formerly = missed
        try state.transaction {
            for id in scan.missing where formerly.contains(id) { try state.change(id) { $0.local = nil } }
            for (id, local) in scan.changes {
                try state.change(id) { entry in
                    entry.local = local
                    if local.isPlaceholder { entry.synced?.stamp = nil }
                }
            }
        }
        missed = scan.missing.subtracting(formerly)
    }
}
