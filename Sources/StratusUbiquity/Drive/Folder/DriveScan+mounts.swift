import StratusCloudModel

/// Leaves out folders whose disks are not mounted.
extension DriveScan {
    /// Whether a folder is left as the agent knows it, because something else is mounted on it than before, or nothing
    /// any more, and most of its items are not in it.
    mutating func leavesOut(_ directory: DriveDirectory, _ found: DriveFound, in folder: String?) throws -> Bool {
        let device = self.folder.mounts.device(of: directory)
        guard device != 0 || !devices.isEmpty, let inner = found.inner else { return false }
        guard let folder, let known = try known(found, in: folder), device != devices[known.id] ?? 0,
            try lacksItems(of: known.id, directory)
        else {
            mounted.append((inner, device))
            return false
        }
        absent.insert(known.id)
        candidates[known.id] = nil
        unknown.removeAll { $0.inner === inner }
        try leaveOut(known.id)
        return true
    }

    private func known(_ found: DriveFound, in folder: String) throws -> DriveState.LocalItem? {
        try state.localItems(at: DrivePlace(folder: folder, name: found.name)).first {
            $0.local.shape.kind == .folder
        }
    }

    private func lacksItems(of id: String, _ directory: DriveDirectory) throws -> Bool {
        let items = Set(try state.localItems(in: id).map(\.local.shape.place.name))
        let names = try directory.names().map { UbiquityState.item(ofPlaceholder: $0) ?? $0 }
        return !items.isEmpty && items.intersection(names).count * 2 < items.count
    }

    /// Items in a folder are neither changed nor missing.
    private mutating func leaveOut(_ id: String) throws {
        var open = [id]
        while let folder = open.popLast() {
            guard visited.insert(folder).inserted else { continue }
            open += try state.localFolders(in: folder)
        }
    }

    /// Notes the devices of the folders that were scanned.
    mutating func noteDevices() throws {
        for (folder, device) in mounted {
            if let id = folder.id { devices[id] = device == 0 ? nil : device }
        }
        for id in devices.keys where try !state.hasLocal(id) && !changes.contains(where: { $0.id == id }) {
            devices[id] = nil
        }
        mounted = []
    }
}
