import Foundation
import StratusCloudModel

/// Makes items here that the server has, many at a time.
///
/// The contents are on the disk before they take their places, and the directories before the database says that the
/// items are here. The next comparison takes items that are here, and of which the database does not know, for those of
/// the server (``unite(_:with:)``).
extension DriveAgent {
    /// Gets an item ready to be made here. Waits for its folder.
    /// - Returns: Whether something else was done, so that the next comparison looks at the item again.
    func prepare(_ entry: DriveEntry) async throws -> Bool {
        let state = try state
        guard let remote = entry.remote else { return false }
        let place = remote.shape.place
        if !place.folder.isEmpty, try !state.hasLocal(place.folder) { return false }
        if try unite(entry, with: place) { return true }
        guard try await clear(place, for: entry) else { return true }
        let names = try names(of: place.folder) + [place.name]
        let isPlaceholder = remote.shape.kind == .file && !isDownloaded(entry)
        let staged = remote.shape.kind.hasContent && !isPlaceholder ? try await stage(entry) : nil
        placements.add(
            DrivePlacement(id: entry.id, remote: remote, names: names, staged: staged, isPlaceholder: isPlaceholder))
        return false
    }

    /// Whether the changes that wait are made before a step.
    func placesBefore(_ step: DriveStep, _ entry: DriveEntry) -> Bool {
        guard !placements.isEmpty else { return false }
        switch step {
        case .createLocal:
            guard let remote = entry.remote else { return false }
            return remote.shape.kind == .package || remote.size >= DriveLimits.placementBytes
                || placements.makes(remote.shape.place.folder) || placements.isDue(after: placementDelay)
        case .forget, .adopt, .renewPlaceholder: return placements.isDue(after: placementDelay)
        case .downloadLocal, .moveLocal, .removeLocal: return true
        case .nothing, .save, .removeRemote, .restoreRemote: return false
        }
    }

    /// Makes the changes that wait.
    /// - Returns: Whether something was done.
    func placeAll() async throws -> Bool {
        let ready = placements
        placements = DrivePlacements()
        guard !ready.isEmpty else { return false }
        var isDone = false
        var parts = [ready]
        while let part = parts.popLast() {
            do {
                if try await place(part) { isDone = true }
            } catch let error where DriveError.concernsItem(error) {
                if part.items.count == 1, part.notes.isEmpty {
                    try fail(part.items[0], error)
                } else {
                    // A program uses one of the items, and the others do not wait for it.
                    parts += part.separated
                }
            } catch {
                for item in (parts + [part]).flatMap(\.items) { keep(item) }
                throw error
            }
        }
        return isDone
    }

    /// Keeps the contents of items that are not made in this comparison.
    func keepPlacements() {
        for item in placements.items { keep(item) }
        placements = DrivePlacements()
    }

    private func place(_ ready: DrivePlacements) async throws -> Bool {
        let items = synchronized(ready.items)
        let hold = items.isEmpty ? nil : try await self.hold(items.map { DriveChange(names: $0.names, options: []) })
        defer { hold?.end() }
        var directories: [[String]: DriveDirectory] = [:]
        var made: [(item: DrivePlacement, local: DriveEntry.Local)] = []
        for item in items {
            let parent = Array(item.names.dropLast())
            do {
                let directory = try directories[parent] ?? folder.directory(parent)
                directories[parent] = directory
                made.append((item, try make(item, in: directory)))
            } catch let error where DriveError.concernsItem(error) {
                try fail(item, error)
            }
        }
        for directory in directories.values { try directory.synchronize() }
        let state = try state
        try state.transaction {
            for (item, local) in made { try state.change(item.id) { $0.take(item, as: local) } }
            for note in ready.notes { try state.change(note.id, note.change) }
        }
        for (item, _) in made {
            if let staged = item.staged, staged.isPackage { folder.discard(staged) }
        }
        return !made.isEmpty || !ready.notes.isEmpty
    }

    /// Waits until the contents are on the disk.
    /// - Returns: The items whose contents are.
    private func synchronized(_ items: [DrivePlacement]) -> [DrivePlacement] {
        items.filter { item in
            guard let staged = item.staged else { return true }
            do {
                try folder.synchronize(staged, item.remote.shape.place.name)
                return true
            } catch {
                failures[item.id] = error
                return false
            }
        }
    }

    private func make(_ item: DrivePlacement, in directory: DriveDirectory) throws -> DriveEntry.Local {
        let (shape, name) = (item.remote.shape, item.remote.shape.place.name)
        let stamp: DriveStamp?
        if item.isPlaceholder {
            stamp = try placePlaceholder(item.remote, in: directory).stamp
        } else if let staged = item.staged?.path {
            // Before somebody can change the file.
            stamp = try folder.stamp(at: staged, shape.kind)
            try directory.place(staged, at: name)
        } else {
            if shape.kind == .link {
                try directory.makeLink(name, to: shape.target ?? "")
            } else {
                try directory.makeFolder(name)
            }
            stamp = try directory.stamp(name, shape.kind)
        }
        try checkpoints(.changed, name)
        guard let stamp else { throw DriveFailure.changed(name) }
        let shown = item.isPlaceholder ? UbiquityState.placeholderName(of: name) : name
        return DriveEntry.Local(
            shape: shape, stamp: stamp, isPlaceholder: item.isPlaceholder, born: directory.born(shown))
    }

    private func fail(_ item: DrivePlacement, _ error: any Error) throws {
        keep(item)
        if let entry = try state[item.id] { try note(error, of: entry) }
    }

    private func keep(_ item: DrivePlacement) {
        if let staged = item.staged { folder.keep(staged) }
    }
}

extension DriveEntry {
    /// Notes that an item of the server was made here.
    fileprivate mutating func take(_ item: DrivePlacement, as made: Local) {
        let hasContent = item.isPlaceholder || item.staged != nil
        local = made
        synced = Synced(
            shape: item.remote.shape, checksum: hasContent ? item.remote.checksum : nil, version: item.remote.version,
            stamp: item.staged == nil ? nil : made.stamp)
        if !item.isPlaceholder { isWanted = false }
    }
}
