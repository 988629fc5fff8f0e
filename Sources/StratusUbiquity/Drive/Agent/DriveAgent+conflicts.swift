import Foundation
import StratusCloudKit
import StratusCloudModel

/// Contents in conflict: copies of those on the server, which programs see as versions of a file (`NSFileVersion`).
extension DriveAgent {
    /// Sends what programs have resolved, and lets the copies be those of the contents in conflict on the server.
    /// - Returns: Whether something was done, so that there may be more.
    func synchronizeConflicts() async throws -> Bool {
        let state = try state
        let tree = try tree
        var isDone = false
        for id in try state.itemsWithCopies() {
            guard let entry = try state[id] else { continue }
            do {
                if try await synchronizeConflicts(of: entry, isAlive: try tree.isAlive(entry)) { isDone = true }
            } catch let error as CocoaError {
                failures[id] = DriveFailure.copies(error.localizedDescription)
            } catch let error where DriveError.concernsItem(error) {
                failures[id] = error
            }
        }
        // Something may have happened to a new copy before it was watched.
        return try watchCopies() || isDone
    }

    private func synchronizeConflicts(of entry: DriveEntry, isAlive: Bool) async throws -> Bool {
        var copies = try self.copies(of: entry)
        guard isAlive, let local = entry.local, let remote = entry.remote, local.shape.kind.hasContent else {
            try remove(copies, of: entry.id, at: nil)
            return false
        }
        // A program that resolves a conflict has often written the file before, and that comes first.
        guard entry.isUploaded, !entry.isNewer else { return false }
        let resolved = Set(copies.filter(\.description.isResolved).compactMap(\.number)).intersection(remote.conflicts)
        if !resolved.isEmpty {
            try await cloud.resolveConflicts(of: entry.id, resolved)
            try state.change(entry.id) { $0.remote?.conflicts.removeAll { resolved.contains($0) } }
        }
        let path = try path(of: local)
        // The server has no more; another one could send any number.
        let open = Set(remote.conflicts.prefix(FileLimits.conflictsPerFile)).subtracting(resolved)
        try remove(copies.filter { !$0.isCopy(ofOneOf: open) }, of: entry.id, at: path)
        copies = try copies.filter { $0.isCopy(ofOneOf: open) }.map { copy in
            copy.item == path ? copy : try versions.relocate(copy, to: path)
        }
        // The contents of a file that is not on this device are not here either.
        if !local.isPlaceholder {
            let known = Set(copies.compactMap(\.number))
            for version in remote.versions where open.contains(version.number) && !known.contains(version.number) {
                try await copy(version, of: entry, remote, to: path)
            }
        }
        let place = open.isEmpty ? nil : UbiquityContainer.relative(path, in: versions.container ?? "")
        try state.change(entry.id) { $0.conflictsAt = place }
        return !resolved.isEmpty
    }

    /// Downloads a content in conflict.
    private func copy(
        _ version: DriveEntry.Version, of entry: DriveEntry, _ remote: DriveEntry.Remote, to path: String
    ) async throws {
        guard let checksum = version.checksum else { return }
        let staged = try await stage(entry.id, remote, FileFormat.versions, checksum, modified: version.modified)
        defer { folder.discard(staged) }
        let description = FileVersions.Description(
            isConflict: true, isResolved: false, modified: DriveRecords.date(version.modified), savedOn: version.device,
            server: FileVersions.ServerVersion(record: entry.id, number: version.number))
        // Known before it is there, so that a process that ends between the two leaves nothing behind.
        try state.change(entry.id) {
            $0.conflictsAt = UbiquityContainer.relative(path, in: versions.container ?? "")
        }
        try checkpoints(.changed, entry.id)
        try versions.add(description, contentsOf: URL(fileURLWithPath: staged.path), to: path, byMoving: true)
    }

    /// The copies of contents of an item: where the agent has put them, and where the item is now.
    func copies(of entry: DriveEntry) throws -> [FileVersions.Entry] {
        let container = versions.container ?? ""
        let places = [entry.conflictsAt.map { container + "/" + $0 }, try entry.local.map { try path(of: $0) }]
        return Set(places.compactMap { $0 }).sorted().flatMap { versions.all(of: $0) }
            .filter { $0.description.server?.record == entry.id }
    }

    private func remove(_ copies: [FileVersions.Entry], of id: String, at path: String?) throws {
        for copy in copies { try versions.delete(copy) }
        if path == nil { try state.change(id) { $0.conflictsAt = nil } }
    }

    /// The canonical path of an item.
    func path(of local: DriveEntry.Local) throws -> String {
        ([versions.container ?? folder.path] + (try names(of: local.shape.place.folder)) + [local.shape.place.name])
            .joined(separator: "/")
    }

    /// - Returns: Whether there are copies that were not watched before.
    private func watchCopies() throws -> Bool {
        guard let conflictWatch else { return false }
        let watched = try state.entriesWithCopies().filter { $0.conflictsAt != nil }
            .flatMap { (try? copies(of: $0)) ?? [] }
        return conflictWatch.follow(Set(watched.compactMap { try? versions.place(of: $0).path }))
    }
}

extension FileVersions.Entry {
    /// The number of the version on the server.
    fileprivate var number: Int64? { description.server?.number }

    /// Returns whether the entry is a copy of one of the versions with these numbers.
    fileprivate func isCopy(ofOneOf numbers: Set<Int64>) -> Bool {
        guard let number else { return false }
        return numbers.contains(number)
    }
}
