/// Matches the items that a scan finds with those that the agent knows.
extension DriveScan {
    /// Matches items with those that were at their places before, so that nothing else is taken for them.
    mutating func takePlaces(_ items: [DriveFound], in folder: String) throws {
        var known: [DrivePlace: DriveState.LocalItem] = [:]
        for item in try state.localItems(in: folder) {
            // Of several items of one place only one can be there.
            if let other = known.updateValue(item, forKey: item.local.shape.place) {
                candidates[other.id] = other.local
            }
        }
        for found in items {
            let place = DrivePlace(folder: folder, name: found.name)
            guard let item = known[place], item.local.shape.kind == found.shape.kind,
                !found.isKnownByIdentity || Self.isSame(item.local, found.stamp, found.born)
            else {
                unknown.append(found)
                continue
            }
            if item.local.isPlaceholder, !found.isPlaceholder {
                beside.append((found, item))
                continue
            }
            known[place] = nil
            take(found, item, in: folder)
        }
        for item in known.values { candidates[item.id] = item.local }
    }

    private mutating func take(_ found: DriveFound, _ item: DriveState.LocalItem, in folder: String) {
        candidates[item.id] = nil
        found.inner?.id = item.id
        let local = found.local(in: folder)
        guard local != item.local else { return }
        changes.append((item.id, local))
        if !found.hasOneName { linked.insert(local.stamp.inode) }
    }

    /// Adds the items in folders that are not where they were.
    mutating func findCandidates() throws {
        var open = candidates.filter { $0.value.shape.kind == .folder }.map(\.key)
        if isWhole { open += try state.localFolders().filter { !visited.contains($0) } }
        while let folder = open.popLast() {
            guard visited.insert(folder).inserted else { continue }
            for item in try state.localItems(in: folder) {
                candidates[item.id] = item.local
                if item.local.shape.kind == .folder { open.append(item.id) }
            }
        }
    }

    /// Decides whether a file took the place of a placeholder, or was made where the placeholder of another one was,
    /// which somebody has moved.
    mutating func decideBesidePlaceholders() {
        for (found, item) in beside {
            if candidates[item.id] != nil, !placeholders.contains(item.local.stamp.inode), let folder = found.folder.id
            {
                take(found, item, in: folder)
            } else {
                unknown.append(found)
            }
        }
    }

    mutating func match(_ found: DriveFound, _ formerlyTorn: Set<UInt64>, _ newID: () -> String) throws {
        guard let folder = found.folder.id else { return }
        let place = DrivePlace(folder: folder, name: found.name)
        let known = try state.localItems(at: place).first { fits($0, found) && !isMovedAway($0, found) }
        let same = try state.localItems(inode: found.stamp.inode).filter {
            $0.local.shape.kind == found.shape.kind && Self.isSame($0.local, found.stamp, found.born)
                && $0.local.isPlaceholder == found.isPlaceholder
        }
        let moved = same.first { fits($0, found) }
        // The placeholder of another item does not stand for the item that was at its place.
        let isOfOther = found.isPlaceholder && !same.isEmpty && !formerlyTorn.contains(found.stamp.inode)
        if let item = found.isKnownByIdentity ? moved ?? (isOfOther ? nil : known) : known ?? moved {
            take(found, item, in: folder)
        } else if let other = same.first, found.hasOneName, !formerlyTorn.contains(found.stamp.inode) {
            torn.note(found, path(found.folder), other.id)
        } else if !found.isPlaceholder {
            // A placeholder of which nothing is known stands for nothing.
            let id = newID()
            found.inner?.id = id
            changes.append((id, found.local(in: folder)))
        }
    }

    private func fits(_ item: DriveState.LocalItem, _ found: DriveFound) -> Bool {
        item.local.shape.kind == found.shape.kind && candidates[item.id] != nil
    }

    private func isMovedAway(_ item: DriveState.LocalItem, _ found: DriveFound) -> Bool {
        item.local.isPlaceholder && !found.isPlaceholder && placeholders.contains(item.local.stamp.inode)
    }
}

/// Items that a scan found at two places, because they moved meanwhile.
struct DriveTornItems {
    private(set) var inodes: Set<UInt64> = []
    /// The paths of the directories that have them now.
    private(set) var directories: Set<[UInt8]> = []
    /// The records that they had.
    private(set) var records: Set<String> = []

    mutating func note(_ found: DriveFound, _ directory: String, _ record: String) {
        inodes.insert(found.stamp.inode)
        directories.insert(Array(directory.utf8))
        records.insert(record)
    }
}
