import Foundation
import Glibc

/// Files whose contents are not on this device.
extension DriveAgent {
    /// Whether the content of a file that comes from the server is downloaded with it.
    func isDownloaded(_ entry: DriveEntry) -> Bool {
        settings.downloadsNewFiles || entry.isKeptHere || DriveIgnoreFile.isOne(entry.remote?.shape.place)
            || !hasRoomForPlaceholder(entry.remote?.shape.place.name ?? "")
    }

    /// Whether the name of an item leaves room for that of its placeholder.
    private func hasRoomForPlaceholder(_ name: String) -> Bool {
        UbiquityState.placeholderName(of: name).utf8.count <= Int(NAME_MAX)
    }

    /// Whether a placeholder cannot follow its item to a name. The item can, once it has its content.
    func lacksRoom(_ entry: DriveEntry, at name: String) -> Bool {
        entry.local?.isPlaceholder == true && !hasRoomForPlaceholder(name)
    }

    /// Lets a placeholder stand for a file that the server has.
    func placePlaceholder(_ remote: DriveEntry.Remote, in directory: DriveDirectory) throws -> stat {
        let name = UbiquityState.placeholderName(of: remote.shape.place.name)
        let staged = try folder.newStagedFile(for: name)
        defer { folder.discard(staged) }
        try folder.finish(staged, name, modified: remote.modified, isExecutable: remote.shape.isExecutable)
        // One that an agent left which ended has no content either. Anything else of the name is somebody's file.
        if let status = try directory.status(name) {
            guard status.kind == .file, status.stamp.size == 0 else { throw DriveFailure.changed(name) }
            try directory.remove(name)
        }
        try directory.place(staged, at: name)
        guard let status = try directory.status(name) else { throw DriveFailure.changed(name) }
        return status
    }

    /// Puts the content of a file in the place of its placeholder.
    func fill(_ entry: DriveEntry) async throws -> Bool {
        guard let remote = entry.remote, let local = entry.local else { return false }
        let names = try itemNames(of: local)
        // Somebody moved the placeholder to where another item is.
        if local.shape.place != remote.shape.place,
            try folder.directory(Array(names.dropLast())).status(local.shape.place.name) != nil
        {
            return try await makeRoom(for: entry.id)
        }
        let staged = try await stage(entry)
        try folder.synchronize(staged, local.shape.place.name)
        return try await coordinated(DriveChange(names: names, options: []), with: staged) {
            try fill(entry, remote, local, with: staged.path, in: folder.directory(Array(names.dropLast())))
            return true
        }
    }

    private func fill(
        _ entry: DriveEntry, _ remote: DriveEntry.Remote, _ local: DriveEntry.Local, with staged: String,
        in directory: DriveDirectory
    ) throws {
        let name = local.shape.place.name
        // The placeholder goes after the file came, so that at no time the item seems to be deleted.
        guard let stamp = try folder.stamp(at: staged, .file) else { throw DriveFailure.changed(name) }
        try directory.place(staged, at: name)
        try directory.synchronize()
        // One that somebody wrote into is theirs.
        let placeholder = UbiquityState.placeholderName(of: name)
        if try directory.status(placeholder)?.st_size == 0 { try directory.remove(placeholder) }
        try state.change(entry.id) { entry in
            entry.local = DriveEntry.Local(shape: local.shape, stamp: stamp)
            entry.synced?.stamp = stamp
            entry.synced?.checksum = remote.checksum
            entry.synced?.version = remote.version
            entry.isWanted = false
        }
    }

    /// Removes the content of a file from this device, if the server has it.
    /// - Throws: ``DriveError/Code/notUploaded`` if it has not.
    func removeContent(of entry: DriveEntry, path: String) async throws {
        guard let local = entry.local, local.shape.kind == .file else { return }
        let name = local.shape.place.name
        if local.isPlaceholder {
            try state.change(entry.id) { ($0.isPinned, $0.isWanted) = (false, false) }
            return
        }
        guard let remote = entry.remote, entry.isUploaded, remote.checksum == entry.synced?.checksum,
            remote.shape == local.shape,
            hasRoomForPlaceholder(name)
        else {
            throw DriveError(.notUploaded, path: path, "the server does not have the content of '\(path)' yet")
        }
        let names = try itemNames(of: local)
        try await coordinated(DriveChange(names: names, options: .forMerging)) {
            let directory = try folder.directory(Array(names.dropLast()))
            let placeholder = try placePlaceholder(remote, in: directory)
            do {
                try takeAway(names, .file, expected: local.stamp)
            } catch {
                try directory.remove(UbiquityState.placeholderName(of: name))
                throw error
            }
            try state.change(entry.id) { entry in
                entry.local = DriveEntry.Local(shape: local.shape, stamp: placeholder.stamp, isPlaceholder: true)
                entry.synced?.stamp = nil
                (entry.isPinned, entry.isWanted) = (false, false)
            }
        }
    }
}
