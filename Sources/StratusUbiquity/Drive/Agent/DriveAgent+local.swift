import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel

/// Steps that change the local tree. A step replaces or removes an item only if its stamp is the expected one.
extension DriveAgent {
    /// The names on the way to an item, from the container on.
    func names(of entry: DriveEntry) throws -> [String] {
        guard let local = entry.local else { throw DriveFailure.changed(entry.id) }
        return try names(of: local.shape.place.folder)
            + [local.isPlaceholder ? UbiquityState.placeholderName(of: local.shape.place.name) : local.shape.place.name]
    }

    /// The names on the way to an item, whether it is on this device or a placeholder stands for it.
    func itemNames(of local: DriveEntry.Local) throws -> [String] {
        try names(of: local.shape.place.folder) + [local.shape.place.name]
    }

    /// The names on the way to a folder.
    func names(of folder: String) throws -> [String] {
        let state = try state
        var names: [String] = []
        var next = folder
        while !next.isEmpty {
            guard names.count < DriveLimits.depth, let shape = try state[next]?.local?.shape, shape.kind == .folder
            else {
                // The folder is gone, and no scan of a part of the container looks for what was in it.
                needsWholeScan = true
                throw DriveFailure.changed(folder)
            }
            names.append(shape.place.name)
            next = shape.place.folder
        }
        return names.reversed()
    }

    /// Moves an item to where the server has it, and gives it what the server says of it.
    func move(_ entry: DriveEntry) async throws -> Bool {
        let state = try state
        guard let remote = entry.remote, let local = entry.local else { return false }
        let place = remote.shape.place
        if place != local.shape.place {
            if !place.folder.isEmpty, try !state.hasLocal(place.folder) { return false }
            if try isInside(place.folder, entry.id) { return false }
            guard try await clear(place, for: entry) else { return true }
            if lacksRoom(entry, at: place.name) { return try await fill(entry) }
            guard try await rename(entry, to: place) else { return false }
        }
        guard let moved = try state[entry.id], let now = moved.local else { return false }
        let names = try names(of: moved)
        var stamp = now.stamp
        if remote.shape.kind == .file, remote.shape.isExecutable != local.shape.isExecutable, let name = names.last {
            try await coordinated(DriveChange(names: try itemNames(of: now), options: .contentIndependentMetadataOnly))
            {
                let directory = try folder.directory(Array(names.dropLast()))
                try directory.setExecutable(remote.shape.isExecutable, of: name)
            }
        }
        if remote.shape.kind == .link, remote.shape.target != local.shape.target, let name = names.last {
            stamp = try await coordinated(DriveChange(names: names, options: [])) {
                let directory = try folder.directory(Array(names.dropLast()))
                try retarget(
                    name, from: local.shape.target, to: remote.shape.target ?? "", in: directory,
                    Array(names.dropLast()))
                return try directory.stamp(name, .link) ?? stamp
            }
        }
        try state.change(entry.id) { entry in
            entry.local?.shape = remote.shape
            entry.synced?.shape = remote.shape
            entry.local?.stamp = stamp
        }
        return true
    }

    /// Moves an item within the container. What is at the place is not replaced.
    func rename(_ entry: DriveEntry, to place: DrivePlace) async throws -> Bool {
        let state = try state
        let names = try names(of: entry)
        let parent = try self.names(of: place.folder)
        guard let name = names.last, let local = entry.local else { return false }
        return try await coordinatedMove(from: try itemNames(of: local), to: parent + [place.name]) {
            let source = try folder.directory(Array(names.dropLast()))
            let target = try folder.directory(parent)
            guard let status = try source.status(name), status.stamp.inode == local.stamp.inode else {
                throw DriveFailure.changed(name)
            }
            let newName = local.isPlaceholder ? UbiquityState.placeholderName(of: place.name) : place.name
            guard try source.move(name, to: target, as: newName) else { return false }
            try checkpoints(.changed, entry.id)
            return true
        } note: {
            try checkpoints(.changed, entry.id)
            try state.change(entry.id) { $0.local?.shape.place = place }
        }
    }

    /// Whether a folder is in another one, or is it.
    private func isInside(_ folder: String, _ other: String) throws -> Bool {
        var next = folder
        for _ in 0..<DriveLimits.depth {
            if next == other { return true }
            guard !next.isEmpty, let local = try state[next]?.local else { return false }
            next = local.shape.place.folder
        }
        return true
    }
}
