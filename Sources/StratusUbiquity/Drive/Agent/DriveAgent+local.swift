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

    /// Makes an item that the server has. Waits for its folder.
    func create(_ entry: DriveEntry) async throws -> Bool {
        let state = try state
        guard let remote = entry.remote else { return false }
        let place = remote.shape.place
        if !place.folder.isEmpty, try !state.hasLocal(place.folder) { return false }
        if try unite(entry, with: place) { return true }
        guard try await clear(place, for: entry) else { return true }
        let names = try names(of: place.folder) + [place.name]
        if remote.shape.kind == .file, !isDownloaded(entry) { return try await createPlaceholder(entry, at: names) }
        let staged = remote.shape.kind.hasContent ? try await stage(entry) : nil
        return try await coordinated(DriveChange(names: names, options: []), with: staged) {
            let stamp = try make(remote, with: staged?.path, in: folder.directory(Array(names.dropLast())))
            try state.change(entry.id) { entry in
                entry.local = DriveEntry.Local(shape: remote.shape, stamp: stamp)
                entry.synced = DriveEntry.Synced(
                    shape: remote.shape, checksum: staged == nil ? nil : remote.checksum, version: remote.version,
                    stamp: staged == nil ? nil : stamp)
                entry.isWanted = false
            }
            return true
        }
    }

    /// Makes an item in a directory.
    /// - Parameter staged: The content, if the item has one.
    private func make(
        _ remote: DriveEntry.Remote, with staged: String?, in directory: DriveDirectory
    ) throws -> DriveStamp {
        let (name, kind) = (remote.shape.place.name, remote.shape.kind)
        var placed: DriveStamp?
        if let staged {
            placed = try folder.stamp(at: staged, kind)
            try directory.place(staged, at: name)
            try directory.synchronize()
        } else if kind == .link {
            try directory.makeLink(name, to: remote.shape.target ?? "")
        } else {
            try directory.makeFolder(name)
        }
        try checkpoints(.changed, name)
        guard let stamp = try placed ?? directory.stamp(name, kind) else { throw DriveFailure.changed(name) }
        return stamp
    }

    /// Puts a newer content in the place of what is here.
    func replace(_ entry: DriveEntry) async throws -> Bool {
        guard let remote = entry.remote, let local = entry.local, let expected = entry.synced?.stamp else {
            return false
        }
        let names = try itemNames(of: local)
        let staged = try await stage(entry)
        // A program that has changes saves them first. Then the file is another one, and stays.
        return try await coordinated(DriveChange(names: names, options: .forMerging), with: staged) {
            let directory = try folder.directory(Array(names.dropLast()))
            let (stamp, aside) = try exchange(
                local, expected, remote, with: staged.path, in: directory, Array(names.dropLast()))
            do {
                try state.change(entry.id) { entry in
                    entry.local?.stamp = stamp
                    entry.synced?.stamp = stamp
                    entry.synced?.checksum = remote.checksum
                    entry.synced?.version = remote.version
                }
            } catch {
                // Else the content would seem to be a change of somebody here.
                try undoExchange(
                    of: local.shape.place.name, with: aside, stamp, local.shape.kind, in: directory,
                    keeping: staged.path)
                throw error
            }
            folder.discardAside(aside)
            return true
        }
    }

    /// Lets a content in staging take the place of what is here. If that fails, the content is in staging again.
    /// - Parameter parent: The names on the way to the directory.
    /// - Returns: The stamp of what is here then, and the path of what was here.
    private func exchange(
        _ local: DriveEntry.Local, _ expected: DriveStamp, _ remote: DriveEntry.Remote, with staged: String,
        in directory: DriveDirectory, _ parent: [String]
    ) throws -> (stamp: DriveStamp, aside: String) {
        let name = local.shape.place.name
        let check = try DriveWriteCheck(name, local.shape.kind, in: directory)
        // The file that is there later may have been changed already.
        guard let new = try folder.stamp(at: staged, local.shape.kind) else { throw DriveFailure.changed(name) }
        let aside = try folder.newPathAside(name, from: parent, for: new)
        guard Glibc.rename(staged, aside) == 0 else { throw DriveFailure.system(errno, name) }
        if local.shape.kind == .file, let former = try directory.status(name) {
            chmod(aside, former.mode(isExecutable: remote.shape.isExecutable))
        }
        do {
            try directory.exchange(name, with: aside)
        } catch {
            folder.discardAside(aside, keeping: staged)
            throw error
        }
        guard try folder.stamp(at: aside, local.shape.kind) == expected, !check.isBeingWritten else {
            // Somebody wrote it meanwhile, which is a change of theirs.
            try undoExchange(of: name, with: aside, new, local.shape.kind, in: directory, keeping: staged)
            throw DriveFailure.changed(name)
        }
        try checkpoints(.changed, name)
        try directory.synchronize()
        return (new, aside)
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

    /// Lets a symbolic link point elsewhere.
    private func retarget(
        _ name: String, from former: String?, to target: String, in directory: DriveDirectory, _ parent: [String]
    ) throws {
        try checkpoints(.creating, name)
        let staged = folder.staging + "/" + folder.newStagingName()
        guard symlink(target, staged) == 0 else { throw DriveFailure.system(errno, name) }
        let new = try folder.stamp(at: staged, .link)
        let aside = try folder.newPathAside(name, from: parent, for: new)
        guard Glibc.rename(staged, aside) == 0 else { throw DriveFailure.system(errno, name) }
        do {
            try directory.exchange(name, with: aside)
        } catch {
            folder.discardAside(aside)
            throw error
        }
        let taken = try DriveDirectory.root((aside as NSString).deletingLastPathComponent)
        guard try taken.status(name)?.kind == .link, try taken.target(name) == former else {
            try undoExchange(of: name, with: aside, new, .link, in: directory)
            throw DriveFailure.changed(name)
        }
        folder.discardAside(aside)
    }

    /// Brings an item back that changed places with a new one.
    /// - Parameters:
    ///   - new: The stamp of the new one. Another item that somebody put there meanwhile is kept under another
    ///     name.
    ///   - staged: The path in staging that the new one goes back to; nil if it is not kept.
    private func undoExchange(
        of name: String, with aside: String, _ new: DriveStamp?, _ kind: FileKind, in directory: DriveDirectory,
        keeping staged: String? = nil
    ) throws {
        do {
            try directory.exchange(name, with: aside)
            guard try folder.stamp(at: aside, kind) == new else { throw DriveFailure.changed(name) }
            folder.discardAside(aside, keeping: staged)
        } catch {
            try folder.putBack(aside, at: name, in: directory)
        }
    }

    /// Removes an item that the server has not any more; a folder once it is empty.
    func removeLocal(_ entry: DriveEntry) async throws -> Bool {
        let state = try state
        guard let local = entry.local else { return false }
        let names = try names(of: entry)
        guard let name = names.last else { return false }
        if local.shape.kind == .folder, try !folder.directory(names).names().isEmpty { return false }
        let itemNames = try itemNames(of: local)
        let expected = entry.synced?.stamp ?? local.stamp
        if local.shape.kind != .folder {
            // A program that has changes saves them first. Then the file is another one, and stays, and a document that is
            // open is not asked to close.
            try await coordinated(DriveChange(names: itemNames, options: [], isWriting: false)) {
                let directory = try folder.directory(Array(names.dropLast()))
                guard try directory.stamp(name, local.shape.kind) == expected else { throw DriveFailure.changed(name) }
            }
        }
        return try await coordinated(DriveChange(names: itemNames, options: .forDeleting)) {
            let directory = try folder.directory(Array(names.dropLast()))
            switch local.shape.kind {
            case .folder:
                guard try directory.removeEmptyFolder(name) else { return false }
            case .file, .link, .package:
                try takeAway(names, local.shape.kind, expected: expected)
            }
            try state.change(entry.id) { entry in
                entry.local = nil
                entry.synced = nil
            }
            return true
        }
    }

    /// Deletes an item that nobody has open for writing, if it is the one that was expected.
    /// - Parameter names: The names on the way to the item.
    func takeAway(_ names: [String], _ kind: FileKind, expected: DriveStamp) throws {
        guard let name = names.last else { return }
        let parent = Array(names.dropLast())
        let directory = try folder.directory(parent)
        let check = try DriveWriteCheck(name, kind, in: directory)
        let aside = try folder.newPathAside(name, from: parent)
        do {
            try directory.take(name, to: aside)
        } catch {
            folder.discardAside(aside)
            throw error
        }
        guard try folder.stamp(at: aside, kind) == expected, !check.isBeingWritten else {
            try folder.putBack(aside, at: name, in: directory)
            throw DriveFailure.changed(name)
        }
        folder.discardAside(aside)
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
            try state.change(entry.id) { $0.local?.shape.place = place }
            return true
        }
    }

    /// Takes an item that was made here for the one that comes from the server, if they are the same: a folder of the
    /// same name, or a file or link of the same content, as when two devices have a folder from before.
    private func unite(_ entry: DriveEntry, with place: DrivePlace) throws -> Bool {
        let state = try state
        guard let remote = entry.remote, let other = try state.local(at: place), other.id != entry.id,
            other.synced == nil, other.remote == nil, let local = other.local, local.shape.kind == remote.shape.kind,
            local.shape.target == remote.shape.target
        else { return false }
        var stamp: DriveStamp?
        if local.shape.kind == .package { return false }
        if local.shape.kind == .file {
            guard !local.isPlaceholder, local.stamp.size == remote.size else { return false }
            let snapshot = try folder.snapshot(try names(of: other))
            folder.discard(snapshot.copy)
            guard snapshot.checksum == remote.checksum else { return false }
            stamp = snapshot.stamp
        }
        try state.transaction {
            let inside =
                local.shape.kind == .folder
                ? try state.localItems(in: other.id) : []
            try state.change(other.id) { $0.local = nil }
            try state.change(entry.id) { entry in
                entry.local = local
                entry.synced = DriveEntry.Synced(
                    shape: remote.shape, checksum: remote.checksum, version: remote.version, stamp: stamp)
            }
            for item in inside { try state.change(item.id) { $0.local?.shape.place.folder = entry.id } }
        }
        return true
    }

    /// Makes a place free for an item that comes there.
    /// - Returns: Whether it is free; if not, something was moved out of the way, and the next comparison goes on.
    private func clear(_ place: DrivePlace, for entry: DriveEntry) async throws -> Bool {
        let state = try state
        guard let other = try state.local(at: place), other.id != entry.id else { return true }
        // The server has only one of them there: what is known of it is not the latest.
        if let remote = other.remote, !remote.isDeleted, other.synced != nil, remote.shape.place == place {
            throw DriveFailure.changed(place.name)
        }
        for number in 2...FileLimits.numbersTried {
            let free = DrivePlace(folder: place.folder, name: FileName.numbered(place.name, number))
            guard try state.localItem(at: free) == nil else { continue }
            if lacksRoom(other, at: free.name) {
                _ = try await fill(other)
                return false
            }
            guard try await rename(other, to: free) else { continue }
            // The agent moved this item, not a person, so the move is not sent.
            if let remote = other.remote, remote.shape.place != place {
                try state.change(other.id) { $0.synced?.shape.place = free }
            }
            return false
        }
        throw DriveFailure.changed(place.name)
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
