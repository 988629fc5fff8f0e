import Foundation
import StratusCloudKit
import StratusCloudModel

extension DriveAgent: DriveControls {
    package func status() throws(DriveError) -> DriveStatus {
        try reported {
            let state = try state
            let tree = try tree
            let reconciler = tree.reconciler
            var status = DriveStatus(
                isOnline: isOnline, account: settings.account, container: settings.container, directory: folder.path)
            (status.items, status.bytes) = try state.localSize()
            for size in try state.remoteSizes() where try tree.isAlive(folder: size.folder) {
                status.items += size.items
                status.bytes += size.bytes
            }
            for id in try tree.order {
                guard let entry = try state[id], try entry.local != nil || tree.isAlive(entry) else { continue }
                if try reconciler.step(entry) != .nothing { status.pending += 1 }
            }
            status.conflicts = try state.entriesWithCopies()
                .count { try $0.hasConflict && ($0.local != nil || tree.isAlive($0)) }
            status.deselected = try deselectedPaths
            status.unwatched = unwatched > 0 ? unwatched : nil
            status.unmounted = absent.isEmpty ? nil : absent.map { path(of: $0) }.sorted()
            status.transfers = cloud.transfers.map { id, transfer in
                DriveTransfer(
                    path: path(of: id), isUpload: transfer.isUpload, done: transfer.done, total: transfer.total)
            }
            status.failures = failures.sorted { $0.key < $1.key }.map { id, error in
                DriveFailedItem(path: path(of: id), error: DriveError(error, path: path(of: id)))
            }
            if let ignoreFileFailure {
                let (name, failure) = (DriveIgnoreFile.name, ignoreFileFailure)
                status.failures.append(DriveFailedItem(path: name, error: DriveError(failure, path: name)))
            }
            return status
        }
    }

    package func items(in folder: String) throws(DriveError) -> [DriveItem] {
        try reported(folder) {
            let id = folder.isEmpty ? "" : try entry(at: folder, kind: .folder).id
            return try state.localEntries(in: id)
                .map { item($0, path: path(of: $0.id)) }.sorted { $0.path < $1.path }
        }
    }

    package func download(_ path: String) async throws(DriveError) {
        // Synchronizes first, so that recent changes count.
        try await settle()
        let ids = try want(path)
        guard !ids.isEmpty else { return }
        try await settle()
        try reported(path) {
            for id in ids where try state[id]?.local?.isPlaceholder == true {
                throw failures[id].map { DriveError($0, path: self.path(of: id)) }
                    ?? DriveError(
                        .serverNotAvailable, path: self.path(of: id), "the content could not be downloaded yet")
            }
        }
    }

    /// Notes that somebody wants the contents at a path.
    /// - Returns: The items that are not on this device.
    func want(_ path: String) throws(DriveError) -> [String] {
        try reported(path) {
            let ids = try contents(of: path).filter { $0.local?.isPlaceholder == true }.map(\.id)
            for id in ids { try state.change(id) { $0.isWanted = true } }
            return ids
        }
    }

    package func evict(_ path: String) async throws(DriveError) {
        // Synchronizes first, so that recent changes count.
        try await settle()
        do {
            try await inTurn { agent in
                for entry in try agent.contents(of: path) {
                    try await agent.removeContent(of: entry, path: agent.path(of: entry.id))
                }
                agent.removeUnwantedPartials()
                try agent.showStates()
            }
        } catch {
            throw DriveError(error, path: path)
        }
    }

    package func setPinned(_ isPinned: Bool, _ path: String) async throws(DriveError) {
        try await settle()
        try reported(path) {
            for entry in try contents(of: path) { try state.change(entry.id) { $0.isPinned = isPinned } }
        }
        try await settle()
    }

    package func versions(of path: String) throws(DriveError) -> [DriveVersion] {
        try reported(path) {
            guard let remote = try entry(at: path).remote else { return [] }
            return remote.versions.map { version in
                DriveVersion(
                    identifier: "\(version.number)", size: version.size,
                    modified: DriveRecords.date(version.modified), device: version.device,
                    isConflict: remote.conflicts.contains(version.number))
            }
        }
    }

    package func restore(_ path: String, version: String) async throws(DriveError) {
        try await settle()
        let (id, number) = try reported(path) {
            let entry = try entry(at: path)
            guard entry.isUploaded else {
                throw DriveError(.notUploaded, path: path, "the server does not have the content of '\(path)' yet")
            }
            return (entry.id, try self.version(version, of: entry, path: path))
        }
        try await changed(path) { agent in try await agent.cloud.restore(id, version: number) }
    }

    package func recentlyDeleted() throws(DriveError) -> [DriveItem] {
        try reported {
            try state.deletedEntries()
                .map { item($0, path: $0.remote?.shape.place.name ?? "") }.sorted { $0.path < $1.path }
        }
    }

    package func restoreDeleted(_ recordName: String) async throws(DriveError) -> String {
        let isDeleted = try reported { try state[recordName]?.remote?.isDeleted == true }
        guard isDeleted else {
            throw DriveError(.noSuchFile, "no deleted item has the record name '\(recordName)'")
        }
        try await changed(nil) { agent in try await agent.cloud.restoreDeleted(recordName) }
        return path(of: recordName)
    }

    package func conflicts() throws(DriveError) -> [DriveItem] {
        try reported {
            try state.entriesWithCopies().filter { $0.hasConflict && $0.local != nil }
                .map { item($0, path: path(of: $0.id)) }.sorted { $0.path < $1.path }
        }
    }

    package func resolve(_ path: String, keeping version: String) async throws(DriveError) {
        try await settle()
        let (id, number) = try reported(path) {
            let entry = try entry(at: path)
            guard entry.hasConflict else {
                throw DriveError(.noSuchVersion, path: path, "'\(path)' has no conflict")
            }
            return (entry.id, version == "current" ? nil : try self.version(version, of: entry, path: path))
        }
        try await changed(path) { agent in
            if let number { try await agent.cloud.restore(id, version: number) }
            try await agent.cloud.resolveConflicts(of: id)
        }
    }

    package func settle() async throws(DriveError) {
        do { try await synchronizeFully() } catch { throw DriveError(error) }
    }

    package func record(of path: String) throws(DriveError) -> DriveRecord {
        try reported(path) {
            let entry = try entry(at: path)
            guard let remote = entry.remote, !remote.isDeleted else {
                throw DriveError(.notUploaded, path: path, "the server does not have '\(path)' yet")
            }
            return DriveRecord(recordName: entry.id, contentVersion: remote.version)
        }
    }

    // MARK: - Paths

    func reported<Value>(_ path: String? = nil, _ body: () throws -> Value) throws(DriveError) -> Value {
        do { return try body() } catch { throw DriveError(error, path: path) }
    }

    /// Changes a record on the server, and then what is here.
    private func changed(
        _ path: String?, _ body: @escaping @Sendable (isolated DriveAgent) async throws -> Void
    ) async throws(DriveError) {
        do { try await inTurn(body) } catch { throw DriveError(error, path: path) }
        try await settle()
    }

    func entry(at path: String, kind: FileKind? = nil) throws -> DriveEntry {
        let state = try state
        var found: DriveEntry?
        for name in path.split(separator: "/", omittingEmptySubsequences: false) {
            found = try state.local(at: DrivePlace(folder: found?.id ?? "", name: String(name)))
            guard found != nil else { break }
        }
        guard let found, kind == nil || found.local?.shape.kind == kind else {
            throw DriveError(.noSuchFile, path: path, "the container has no \(kind?.rawValue ?? "item") '\(path)'")
        }
        return found
    }

    /// The files at a path: one, or all in a folder and the folders inside it.
    private func contents(of path: String) throws -> [DriveEntry] {
        var files: [DriveEntry] = []
        var open = path.isEmpty ? [""] : []
        if !path.isEmpty {
            let entry = try entry(at: path)
            if entry.local?.shape.kind == .folder { open.append(entry.id) } else { files.append(entry) }
        }
        guard !open.isEmpty else { return files }
        while let folder = open.popLast() {
            for entry in try state.localEntries(in: folder) {
                if entry.local?.shape.kind == .folder { open.append(entry.id) } else { files.append(entry) }
            }
        }
        return files.sorted { $0.id < $1.id }
    }

    /// The path of an item, as far as it is known here; empty for what is not in the container.
    private func path(of id: String) -> String {
        guard let place = try? state[id]?.local?.shape.place,
            let folder = try? names(of: place.folder)
        else { return "" }
        return (folder + [place.name]).joined(separator: "/")
    }

    private func version(_ identifier: String, of entry: DriveEntry, path: String) throws -> Int64 {
        guard let number = Int64(identifier), let remote = entry.remote,
            remote.versions.contains(where: { $0.number == number })
        else { throw DriveError(.noSuchVersion, path: path, "'\(path)' has no version '\(identifier)'") }
        return number
    }

    private func item(_ entry: DriveEntry, path: String) -> DriveItem {
        let remote = entry.remote
        let isEdited = entry.isEdited
        let kind = entry.local?.shape.kind ?? remote?.shape.kind ?? .file
        return DriveItem(
            path: path, recordName: remote == nil ? nil : entry.id,
            kind: kind,
            size: kind == .folder ? 0 : isEdited ? entry.local?.stamp.size ?? 0 : remote?.size ?? 0,
            modified: isEdited
                ? DriveRecords.date((entry.local?.stamp.modified ?? 0) / 1_000_000)
                : DriveRecords.date(remote?.modified ?? 0),
            isDownloaded: entry.local.map { !$0.isPlaceholder } ?? false && (isEdited || !entry.isNewer),
            isPinned: entry.isPinned, isUploaded: entry.isUploaded, hasConflict: entry.hasConflict,
            isShared: remote?.isShared == true, deleted: remote?.deleted.map(DriveRecords.date))
    }
}
