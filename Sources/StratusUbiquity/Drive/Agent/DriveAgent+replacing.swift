import Foundation
import Glibc
import StratusCloudModel

/// Steps that let something take the place of what is here, or remove it. What is here is only replaced or removed if
/// its stamp is the expected one.
extension DriveAgent {
    /// Puts a newer content in the place of what is here.
    func replace(_ entry: DriveEntry) async throws -> Bool {
        guard let remote = entry.remote, let local = entry.local, let expected = entry.synced?.stamp else {
            return false
        }
        let names = try itemNames(of: local)
        let staged = try await stage(entry)
        try folder.synchronize(staged, local.shape.place.name)
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

    /// Lets a symbolic link point elsewhere.
    func retarget(
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
}
