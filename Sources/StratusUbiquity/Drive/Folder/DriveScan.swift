import Foundation
import Glibc
import StratusCloudModel

/// Compares directories of the container with the items that the agent knows. Only differences are in memory.
///
/// A file is known by its place first, so that a program that writes a new file in the place of an old one changes that
/// file; a folder and a placeholder by their identities first, so that one that was moved is not mistaken for what took its
/// place. What is known by neither is new.
struct DriveScan {
    /// The items that are not as they were, and as they are now.
    var changes: [(id: String, local: DriveEntry.Local)] = []
    /// The items that are not where they were, nor anywhere else in the directories.
    private(set) var missing: Set<String> = []
    /// Whether one of them is a folder, or was in a folder that was not scanned.
    private(set) var missesFolders = false
    /// Items that are at one place and were at another one in the same scan, which they have left meanwhile. The next scan
    /// finds them at one place only.
    var torn = DriveTornItems()
    /// Placeholders beside the files that they stood for, by the names on the way to them.
    private(set) var spentPlaceholders: [[String]] = []
    /// The paths of all directories of a scan of the whole container, and of those in packages.
    private(set) var paths: Set<String> = []
    /// Directories that the system does not watch.
    private(set) var unwatched = 0
    /// Further names of files that were changed, in directories that were not scanned.
    private(set) var otherNames: Set<String> = []
    /// The devices of what is mounted on folders, by their records.
    var devices: [String: UInt64]
    /// Folders that were left as they are known, because their disks are not mounted.
    var absent: Set<String> = []

    let folder: DriveFolder
    let state: DriveState
    private let watch: DirectoryWatch?
    private let ignores: (String) -> Bool
    /// Whether the whole container is scanned.
    let isWhole: Bool
    /// The records of folders that were scanned.
    var visited: Set<String> = []
    /// Items that are not known by their places.
    var unknown: [DriveFound] = []
    /// Files at the places of placeholders, and the placeholders.
    var beside: [(found: DriveFound, known: DriveState.LocalItem)] = []
    var candidates: [String: DriveEntry.Local] = [:]
    /// The identities of placeholders that are not known by their places.
    var placeholders: Set<UInt64> = []
    /// The identities of changed files that have further hard links.
    var linked: Set<UInt64> = []
    /// Folders that were scanned, and the devices of what is mounted on them.
    var mounted: [(folder: DriveScannedFolder, device: UInt64)] = []

    /// - Parameters:
    ///   - directories: The paths of the directories to scan; nil for all in the container.
    ///   - items: Items whose folders are scanned, too.
    ///   - devices: The devices of what was mounted on folders in the last scan, by their records.
    ///   - formerlyTorn: The identities of items that were at two places in the last scan.
    ///   - newID: Chooses the name of a record.
    init(
        _ folder: DriveFolder, _ state: DriveState, _ watch: DirectoryWatch?, directories: Set<[UInt8]>?,
        itemsIn items: Set<String>, devices: [String: UInt64] = [:], formerlyTorn: Set<UInt64> = [],
        ignores: @escaping (String) -> Bool, newID: () -> String
    ) throws {
        (self.folder, self.state, self.watch, self.ignores, self.devices) = (folder, state, watch, ignores, devices)
        isWhole = directories == nil
        if let directories {
            for names in try ordered(directories, items) { try visit(names) }
        } else {
            try visit([])
        }
        let scanned = visited
        try findCandidates()
        placeholders = Set(unknown.lazy.filter(\.isPlaceholder).map(\.stamp.inode))
        decideBesidePlaceholders()
        for found in unknown { try match(found, formerlyTorn, newID) }
        missing = Set(candidates.keys)
        missesFolders = candidates.values.contains {
            $0.shape.kind == .folder || !scanned.contains($0.shape.place.folder)
        }
        try noteDevices()
        try findOtherNames()
        (candidates, unknown, beside) = ([:], [], [])
    }

    // MARK: - Going through directories

    /// Finds further names of files that were changed through one of them, which is an event of its directory only.
    private mutating func findOtherNames() throws {
        guard !linked.isEmpty else { return }
        for (id, local) in changes where linked.contains(local.stamp.inode) {
            for other in try state.localItems(inode: local.stamp.inode)
            where other.id != id && !visited.contains(other.local.shape.place.folder) {
                otherNames.insert(other.id)
            }
        }
    }

    /// The names on the way to directories and to those of items, a folder before those inside it: it may turn out not to
    /// have them any more.
    private func ordered(_ directories: Set<[UInt8]>, _ items: Set<String>) throws -> [[String]] {
        var places = Set(directories.map { $0.dropFirst(folder.path.utf8.count + 1) })
        for item in items {
            if let names = try names(around: item) { places.insert(Array(names.joined(separator: "/").utf8)[...]) }
        }
        let depth = { (place: ArraySlice<UInt8>) in place.count { $0 == UInt8(ascii: "/") } }
        return places.sorted { one, other in
            depth(one) == depth(other) ? one.lexicographicallyPrecedes(other) : depth(one) < depth(other)
        }.map { $0.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The names of the folder that an item is in; nil if it is known no more.
    private func names(around id: String) throws -> [String]? {
        guard let item = try state.localItem(id) else { return nil }
        var names: [String] = []
        var next = item.local.shape.place.folder
        while !next.isEmpty, names.count <= DriveLimits.depth {
            guard let folder = try state.localItem(next) else { return [] }
            names.append(folder.local.shape.place.name)
            next = folder.local.shape.place.folder
        }
        return names.reversed()
    }

    /// Scans a directory, or the innermost one on the way to it that is still where it was.
    private mutating func visit(_ names: [String]) throws {
        var directory = try DriveDirectory.root(folder.path)
        var known = DriveScannedFolder([], id: "")
        for name in names {
            guard let id = known.id,
                let item = try state.localItems(at: DrivePlace(folder: id, name: name)).first(where: {
                    $0.local.shape.kind == .folder
                }), let status = try directory.status(name), status.kind == .folder,
                Self.isSame(item.local, status.stamp, directory.born(name)),
                let next = try directory.openIfThere(name)
            else { break }
            directory = next
            known = DriveScannedFolder(known.names + [name], id: item.id)
        }
        try visit(directory, known)
    }

    private mutating func visit(_ directory: DriveDirectory, _ scanned: DriveScannedFolder) throws {
        if let id = scanned.id, !visited.insert(id).inserted { return }
        // What happens from now on is reported.
        follow(path(scanned), directory)
        let listing = try DriveListing(
            directory, scanned, in: folder.path, ignores: ignores, watch: { follow($0, $1) })
        spentPlaceholders += listing.spentPlaceholders.map { scanned.names + [$0] }
        if let id = scanned.id { try takePlaces(listing.items, in: id) } else { unknown += listing.items }
        for item in listing.items {
            guard let inner = item.inner, inner.names.count <= DriveLimits.depth else { continue }
            // It reports what happens in it.
            if !isWhole, inner.id != nil, watch?.isFollowing(path(inner), item.identity) == true { continue }
            guard let next = try directory.openIfThere(item.name), try !leavesOut(next, item, in: scanned.id) else {
                continue
            }
            try visit(next, inner)
        }
    }

    func path(_ scanned: DriveScannedFolder) -> String {
        ([folder.path] + scanned.names).joined(separator: "/")
    }

    private mutating func follow(_ path: String, _ directory: DriveDirectory) {
        if isWhole { paths.insert(path) }
        if watch?.follow(path, directory.descriptor) != true { unwatched += 1 }
    }

    /// Whether an item is the one with an identity.
    static func isSame(_ local: DriveEntry.Local, _ stamp: DriveStamp, _ born: Int64) -> Bool {
        local.stamp.inode == stamp.inode && [0, born].contains(local.born)
    }
}
