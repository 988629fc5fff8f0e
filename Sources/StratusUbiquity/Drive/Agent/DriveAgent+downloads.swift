import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel

/// A content that comes before it is needed.
struct DriveDownload {
    let checksum: String
    let task: Task<String, any Error>
}

/// Brings contents from the server.
extension DriveAgent {
    /// The current content of an item, in staging.
    func stage(_ entry: DriveEntry) async throws -> DriveStaged {
        guard let remote = entry.remote else { throw DriveFailure.changed(entry.id) }
        return try await stage(entry.id, remote, FileFormat.content, remote.checksum, modified: remote.modified)
    }

    /// A content of an item, in staging.
    /// - Parameters:
    ///   - field: The field of the record with the content.
    ///   - checksum: Identifies the content; nil for an empty one.
    ///   - modified: When it was changed, in milliseconds since 1970-01-01 UTC.
    func stage(
        _ id: String, _ remote: DriveEntry.Remote, _ field: String, _ checksum: String?, modified: Int64
    ) async throws -> DriveStaged {
        var content: String?
        if let checksum { content = try await self.content(id, field, checksum) }
        let isPackage = remote.shape.kind == .package
        if isPackage, let content {
            let package = try folder.unpack(content, as: remote.shape.place.name)
            return DriveStaged(path: package, content: content, isPackage: true)
        }
        let name = remote.shape.place.name
        let staged = try folder.newStagedFile(for: name)
        do {
            if let content, Glibc.rename(content, staged) != 0 { throw DriveFailure.system(errno, name) }
            try folder.finish(staged, name, modified: modified, isExecutable: remote.shape.isExecutable)
            guard isPackage else { return DriveStaged(path: staged, content: content, isPackage: false) }
            defer { folder.discard(staged) }
            return DriveStaged(
                path: try folder.unpack(staged, as: name), content: nil, isPackage: true)
        } catch {
            folder.discard(staged)
            throw error
        }
    }

    /// The file with a content, which may be on its way already.
    private func content(_ id: String, _ field: String, _ checksum: String) async throws -> String {
        if field == FileFormat.content, let ahead = downloads.removeValue(forKey: id) {
            if ahead.checksum == checksum {
                return try await withTaskCancellationHandler {
                    try await ahead.task.value
                } onCancel: {
                    ahead.task.cancel()
                }
            }
            ahead.task.cancel()
        }
        return try await fetch(id, field, checksum)
    }

    /// Brings a content into a file. What came of it before is not fetched again.
    private func fetch(_ id: String, _ field: String, _ checksum: String) async throws -> String {
        let (path, size) = try folder.partial(id, checksum)
        try await cloud.download(id, field, checksum: checksum, to: path, from: size)
        let name = try state[id]?.remote?.shape.place.name ?? id
        guard try folder.checksum(ofStaged: path, name) == checksum else {
            folder.discard(path)
            throw DriveFailure.content(name)
        }
        folder.beginWriting(path)
        return path
    }

    // MARK: - Before their turn

    /// Begins to download contents that are needed next, a few at the same time.
    /// - Parameters:
    ///   - order: The items, in the order of their turns.
    ///   - next: The place in it of the next item to be looked at.
    ///   - hadTurn: Says whether the turn of an item is over.
    func fetchAhead(
        _ order: [String], _ next: inout Int, _ reconciler: DriveReconciler, hadTurn: (String) -> Bool
    ) throws {
        let state = try state
        while next < order.count, downloads.count < DriveLimits.downloads {
            let id = order[next]
            if downloads[id] == nil, let entry = try state[id], let remote = entry.remote,
                let checksum = remote.checksum
            {
                let folder = remote.shape.place.folder
                // The file at its place may turn out to be the item, which is known when its folder is here.
                if try entry.local == nil && !folder.isEmpty && !state.hasLocal(folder)
                    && (!hadTurn(folder) || placements.makes(folder))
                {
                    return
                }
                if try isFetchedAhead(entry, state, reconciler) {
                    downloads[id] = DriveDownload(
                        checksum: checksum, task: Task { try await self.fetch(id, FileFormat.content, checksum) })
                }
            }
            next += 1
        }
    }

    private func isFetchedAhead(_ entry: DriveEntry, _ state: DriveState, _ reconciler: DriveReconciler) throws -> Bool
    {
        guard let remote = entry.remote, remote.shape.kind.hasContent,
            entry.local.map({ entry.isNewer || $0.isPlaceholder && entry.isKeptHere }) ?? true
        else { return false }
        switch try reconciler.step(entry) {
        case .downloadLocal: return true
        case .createLocal:
            let place = remote.shape.place
            return try state.localItem(at: place) == nil && (place.folder.isEmpty || state.hasLocal(place.folder))
                && (remote.shape.kind == .package || isDownloaded(entry))
        default: return false
        }
    }

    /// Ends downloads whose turn did not come, and removes what came of contents that nobody wants any more.
    func endDownloads() async {
        let ended = downloads.values.map(\.task)
        downloads = [:]
        for task in ended { task.cancel() }
        for task in ended { _ = await task.result }
        keepPlacements()
        removeUnwantedPartials()
    }

    /// Removes what came of contents that are not to come to this device any more.
    func removeUnwantedPartials() {
        let names = folder.partialNames
        guard !names.isEmpty else { return }
        do {
            let state = try state
            let reconciler = try tree.reconciler
            let copied = try state.entriesWithCopies()
            for name in names {
                let isWanted = try (state.entries(awaitedIn: name) + copied).contains { entry in
                    try wantedChecksums(of: entry, reconciler).contains {
                        DriveFolder.partialName(entry.id, $0) == name
                    }
                }
                if !isWanted { folder.removePartial(name) }
            }
        } catch {
            // Without the state they are kept, and the next process decides.
        }
    }

    /// The contents of an item that are to come to this device: the current one, and those in conflict with it.
    private func wantedChecksums(of entry: DriveEntry, _ reconciler: DriveReconciler) throws -> [String] {
        guard let remote = entry.remote, remote.shape.kind.hasContent, try reconciler.isAlive(entry),
            try !reconciler.isLeftOut(entry)
        else { return [] }
        let isHere = entry.local?.isPlaceholder == false
        let copied = isHere ? remote.versions.filter { remote.conflicts.contains($0.number) } : []
        let comes = isHere ? entry.isNewer : isContentAwaited(entry, remote)
        return (copied.map(\.checksum) + [comes ? remote.checksum : nil]).compactMap { $0 }
    }

    /// Whether the content of an item, which is not here, is to come.
    private func isContentAwaited(_ entry: DriveEntry, _ remote: DriveEntry.Remote) -> Bool {
        guard entry.local != nil else { return remote.shape.kind == .package || isDownloaded(entry) }
        return entry.isKeptHere || lacksRoom(entry, at: remote.shape.place.name)
    }

    // MARK: - On request

    /// Begins to download a file, or all in a folder. The items' states show how far that is.
    package func startDownload(_ path: String) throws(DriveError) {
        guard requested.count < DriveLimits.requestedDownloads || requested.contains(path) else {
            throw DriveError(
                .serverNotAvailable, path: path,
                "more than \(DriveLimits.requestedDownloads) downloads wait to be begun; try again later")
        }
        requested.insert(path)
        guard requesting == nil else { return }
        requesting = Task { await self.downloadRequested() }
    }

    private func downloadRequested() async {
        // Failures are shown in the items' states.
        try? await settle()
        while !requested.isEmpty, !isStopped {
            for path in requested.sorted() { _ = try? want(path) }
            requested = []
            try? await settle()
        }
        requesting = nil
    }
}
