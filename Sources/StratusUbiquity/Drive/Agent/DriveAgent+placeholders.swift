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
    func createPlaceholder(_ entry: DriveEntry, at names: [String]) async throws -> Bool {
        guard let remote = entry.remote else { return false }
        return try await coordinated(DriveChange(names: names, options: [])) {
            let status = try placePlaceholder(remote, in: folder.directory(Array(names.dropLast())))
            try checkpoints(.changed, entry.id)
            try state.change(entry.id) { entry in
                entry.local = DriveEntry.Local(shape: remote.shape, stamp: status.stamp, isPlaceholder: true)
                entry.synced = DriveEntry.Synced(
                    shape: remote.shape, checksum: remote.checksum, version: remote.version)
            }
            return true
        }
    }

    private func placePlaceholder(_ remote: DriveEntry.Remote, in directory: DriveDirectory) throws -> stat {
        let name = UbiquityState.placeholderName(of: remote.shape.place.name)
        let staged = try folder.newStagedFile()
        defer { folder.discard(staged) }
        try folder.finish(staged, modified: remote.modified, isExecutable: remote.shape.isExecutable)
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

    /// Writes the states of items to their attributes, for apps, and notifies presenters of changes.
    func showStates() throws {
        let state = try state
        try checkpoints(.moving, "")
        let failed = Set(failures.keys)
        if let touched = state.touched {
            for id in touched.union(failed).union(shownFailures).sorted() {
                if let entry = try state[id] { try showState(of: entry) }
            }
        } else {
            try state.forEach(showState)
        }
        state.forgetTouched()
        shownFailures = failed
    }

    private func showState(of entry: DriveEntry) throws {
        guard let local = entry.local, local.shape.kind != .link else { return }
        let path = ([folder.path] + (try itemNames(of: local))).joined(separator: "/")
        let former = UbiquityState.of(path)
        let shown = shownState(of: entry, former)
        guard shown != former else { return }
        // File systems without extended attributes keep no states, and items that went are seen by the next scan.
        try? shown.write(to: path, changed: shown.changes(from: former))
    }

    private func shownState(of entry: DriveEntry, _ former: UbiquityState) -> UbiquityState {
        var shown = former
        let isPlaceholder = entry.local?.isPlaceholder == true
        shown.isUploaded = entry.isUploaded
        shown.isShared = entry.remote?.isShared == true
        shown.isDownloadRequested = isPlaceholder && entry.isKeptHere
        shown.download = isPlaceholder ? .notDownloaded : entry.synced != nil && entry.isNewer ? .downloaded : .current
        shown.size = isPlaceholder ? entry.remote?.size : nil
        shown.hasConflict = entry.hasConflict ? true : nil
        let failure = failures[entry.id].map { DriveError($0).state }
        (shown.uploadFailure, shown.downloadFailure) = entry.isUploaded ? (nil, failure) : (failure, nil)
        return shown
    }
}

extension DriveError {
    /// The error as an item's attributes have it.
    fileprivate var state: UbiquityState.Failure {
        UbiquityState.Failure(domain: NSCocoaErrorDomain, code: code.cocoaCode.rawValue, text: text)
    }
}

extension UbiquityState {
    /// The attributes that an app sees differently from a former state.
    fileprivate func changes(from former: UbiquityState) -> Set<URLResourceKey> {
        var keys: Set<URLResourceKey> = []
        if isUploaded != former.isUploaded { keys.insert(.ubiquitousItemIsUploadedKey) }
        if isShared != former.isShared { keys.insert(.ubiquitousItemIsSharedKey) }
        if isDownloadRequested != former.isDownloadRequested { keys.insert(.ubiquitousItemDownloadRequestedKey) }
        if hasConflict != former.hasConflict { keys.insert(.ubiquitousItemHasUnresolvedConflictsKey) }
        if download != former.download { keys.insert(.ubiquitousItemDownloadingStatusKey) }
        if uploadFailure != former.uploadFailure { keys.insert(.ubiquitousItemUploadingErrorKey) }
        if downloadFailure != former.downloadFailure { keys.insert(.ubiquitousItemDownloadingErrorKey) }
        return keys
    }
}
