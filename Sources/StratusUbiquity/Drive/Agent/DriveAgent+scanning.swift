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
            itemsIn: missed.union(torn.records).union(otherNames).union(absent), devices: try devices,
            formerlyTorn: torn.inodes, ignores: { ignores($0) }, newID: newID)
        // Not another directory meanwhile, as when a disk was unmounted.
        guard try state.setting("directory") == folder.identity else { throw DriveFailure.changed(folder.path) }
        for names in scan.spentPlaceholders {
            guard let name = names.last else { continue }
            try folder.directory(Array(names.dropLast())).remove(name)
        }
        try note(scan)
        (changedDirectories, needsWholeScan, torn) = (scan.torn.directories, scan.missesFolders, scan.torn)
        otherNames = scan.otherNames
        try note(scan.absent, scan.devices)
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
        guard !needsWholeScan, let root = try DriveDirectory.root(folder.path).status("."),
            watch.isFollowing(folder.path, FileIdentity(root))
        else { return true }
        return unwatched > 0 || ContinuousClock.now - scanned >= DriveLimits.wholeScan
    }

    /// Time after which a scan is due, though nothing has happened.
    var scanInterval: Duration {
        // The system reports no mounting.
        if unwatched == 0, !absent.isEmpty { return DriveLimits.unwatchedScan }
        guard unwatched > 0 else { return DriveLimits.wholeScan }
        // Scans of many items take less than a thousandth of a processor.
        return min(max(DriveLimits.unwatchedScan, wholeScanDuration * 1_000), DriveLimits.wholeScan)
    }

    private static let devicesKey = "devices"

    /// The devices of what was mounted on folders in the last scan, by their records.
    private var devices: [String: UInt64] {
        get throws {
            try state.setting(Self.devicesKey).map { try JSONDecoder().decode([String: UInt64].self, from: $0) } ?? [:]
        }
    }

    /// Notes which folders have to have which disks, so that nothing is changed in a folder whose disk is not mounted.
    private func note(_ absent: Set<String>, _ devices: [String: UInt64]) throws {
        var expected: [String: UInt64] = [:]
        for id in absent.union(devices.keys) {
            guard let local = try state[id]?.local else { continue }
            do {
                expected[try itemNames(of: local).joined(separator: "/")] = devices[id] ?? 0
            } catch DriveFailure.changed {
                // A folder around it is gone, which the next scan notes.
            }
        }
        folder.mounts.expect(expected)
        self.absent = absent
    }

    /// Notes that a step of an item failed. It is tried again later, with what its folder has then.
    func note(_ error: any Error, of entry: DriveEntry) throws {
        failures[entry.id] = error
        guard case DriveFailure.changed = error, let place = entry.local?.shape.place ?? entry.remote?.shape.place,
            try place.folder.isEmpty || state.hasLocal(place.folder)
        else { return }
        do {
            let names = try names(of: place.folder)
            changedDirectories.insert(Array(([folder.path] + names).joined(separator: "/").utf8))
        } catch DriveFailure.changed {
            // The whole container is scanned.
        }
    }

    private func note(_ scan: DriveScan) throws {
        let state = try state
        let formerly = missed
        let former = formerPaths(of: scan)
        try state.transaction {
            for id in scan.missing where formerly.contains(id) { try state.change(id) { $0.local = nil } }
            for (id, local) in scan.changes {
                try state.change(id) { entry in
                    entry.local = local
                    if local.isPlaceholder { entry.synced?.stamp = nil }
                }
            }
            if try devices != scan.devices {
                try state.set(Self.devicesKey, to: try JSONEncoder().encode(scan.devices))
            }
        }
        missed = scan.missing.subtracting(formerly)
        for (id, path) in former { try moveVersions(of: id, from: path) }
    }

    /// The paths that items had which a scan has found elsewhere, those in a folder before the folder itself.
    private func formerPaths(of scan: DriveScan) -> [(id: String, path: String)] {
        let paths = scan.changes.compactMap { id, local -> (id: String, path: String)? in
            // The versions of an item whose former folder is not known any more stay where they are.
            guard let former = try? state[id]?.local, former.shape.place != local.shape.place,
                let path = try? path(of: former)
            else { return nil }
            return (id, path)
        }
        return paths.sorted { $0.path.utf8.count > $1.path.utf8.count }
    }

    /// Lets the versions of an item that was moved follow it, such as one that an agent moved which ended before they did.
    /// Versions of another item at its former place stay there.
    private func moveVersions(of id: String, from former: String) throws {
        guard let local = try state[id]?.local, !FileManager.default.fileExists(atPath: former),
            !FileManager.default.fileExists(atPath: UbiquityState.placeholder(of: former))
        else { return }
        let path = try path(of: local)
        NSFileCoordinator.report { try versions.move(from: former, to: path) }
    }
}
