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
        // A directory counts as scanned once it is watched, so after a scan that fails all are scanned again.
        needsWholeScan = true
        let (start, ignores) = (ContinuousClock.now, ignores)
        let scan = try DriveScan(
            folder, state, watch, directories: isWhole ? nil : changedDirectories,
            itemsIn: missed.union(torn.records), formerlyTorn: torn.inodes, ignores: { ignores($0) }, newID: newID)
        // Not another directory meanwhile, as when a disk was unmounted.
        guard try state.setting("directory") == folder.identity else { throw DriveFailure.changed(folder.path) }
        for names in scan.spentPlaceholders {
            guard let name = names.last else { continue }
            try folder.directory(Array(names.dropLast())).remove(name)
        }
        try note(scan)
        (changedDirectories, needsWholeScan, torn) = (scan.torn.directories, scan.missesFolders, scan.torn)
        guard isWhole else { return unwatched += scan.unwatched }
        watch?.forget(except: scan.paths)
        (unwatched, scanned, wholeScanDuration) = (scan.unwatched, .now, .now - start)
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
    var scanInterval: Duration {
        guard unwatched > 0 else { return DriveLimits.wholeScan }
        // Scans of many items take less than a thousandth of a processor.
        return min(max(DriveLimits.unwatchedScan, wholeScanDuration * 1_000), DriveLimits.wholeScan)
    }

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
