import Foundation
import Glibc
import StratusCloudModel

/// The items in the container's directory now. A scan follows no link and changes nothing.
struct DriveScan {
    struct Found {
        /// The place of the folder in ``items``; nil for the container itself.
        let folder: Int?
        let name: String
        let shape: (kind: FileKind, isExecutable: Bool, target: String?)
        let stamp: DriveStamp
        let isPlaceholder: Bool
        let born: Int64
    }

    /// Folders stand before what is in them.
    private(set) var items: [Found] = []
    private(set) var directories: Set<String> = []
    /// Placeholders beside the files that they stood for, by the names on the way to them.
    private(set) var spentPlaceholders: [[String]] = []

    init(_ folder: DriveFolder, ignores: (String) -> Bool) throws {
        let root = try DriveDirectory.root(folder.path)
        try add(root, [], in: folder.path, nil, ignores)
    }

    private mutating func add(
        _ directory: DriveDirectory, _ path: [String], in container: String, _ number: Int?,
        _ ignores: (String) -> Bool
    ) throws {
        let place = ([container] + path).joined(separator: "/")
        directories.insert(place)
        var inner: [(String, Int)] = []
        let names = try directory.names()
        let known = Set(names)
        for name in names {
            if number == nil, name == UbiquityContainer.ownFolder { continue }
            // A placeholder is ignored if its item is.
            guard !ignores(UbiquityState.item(ofPlaceholder: name) ?? name), let status = try directory.status(name),
                let found = status.kind
            else { continue }
            let kind = found == .folder && FilePackage.isPackageToAll(place + "/" + name) ? FileKind.package : found
            // The next scan sees what was removed meanwhile.
            guard let stamp = try directory.stamp(name, kind) else { continue }
            if found == .file || found == .folder, UbiquityState.isExcluded(place + "/" + name) { continue }
            let item = UbiquityState.item(ofPlaceholder: name)
            let isPlaceholder = item != nil && kind == .file
            if isPlaceholder, let item, known.contains(item), status.st_size == 0,
                try directory.status(item)?.kind == .file
            {
                spentPlaceholders.append(path + [name])
                continue
            }
            let target = kind == .link ? try directory.target(name) : nil
            // A path that is not UTF-8 cannot be on the server.
            if kind == .link, target == nil { continue }
            items.append(
                Found(
                    folder: number, name: isPlaceholder ? item ?? name : name,
                    shape: (kind, kind == .file && status.st_mode & 0o100 != 0, target), stamp: stamp,
                    isPlaceholder: isPlaceholder, born: directory.born(name)))
            if kind == .folder, path.count < DriveLimits.depth { inner.append((name, items.count - 1)) }
            if kind == .package, let package = try directory.openIfThere(name) {
                try follow(package, place + "/" + name)
            }
        }
        for (name, number) in inner {
            guard let next = try directory.openIfThere(name) else { continue }
            try add(next, path + [name], in: container, number, ignores)
        }
    }

    /// Directories in a package, which is one item.
    private mutating func follow(_ directory: DriveDirectory, _ path: String) throws {
        directories.insert(path)
        for name in try directory.names() where try directory.status(name)?.kind == .folder {
            guard let next = try directory.openIfThere(name) else { continue }
            try follow(next, path + "/" + name)
        }
    }
}

/// Matches the items of a scan with the entries that the agent knows.
///
/// A file is known by its place first, so that a program that writes a new file in the place of an old one changes that
/// file; a folder by its identity first, so that one that was moved is not mistaken for what took its place. What is
/// known by neither is new.
struct DriveMatch {
    private let state: DriveState
    private var inodes: [UInt64: String] = [:]
    /// The identities of placeholders that the scan found.
    private let placeholders: Set<UInt64>
    private(set) var found: [String: DriveEntry.Local] = [:]
    private var ids: [Int: String] = [:]

    init(_ scan: DriveScan, _ state: DriveState, newID: () -> String) {
        self.state = state
        placeholders = Set(scan.items.lazy.filter(\.isPlaceholder).map(\.stamp.inode))
        for entry in state.entries.values {
            if let local = entry.local { inodes[local.stamp.inode] = entry.id }
        }
        // First what is where it was, so that nothing else is taken for it.
        for (number, item) in scan.items.enumerated() { take(number, item, byPlace: true) }
        for (number, item) in scan.items.enumerated() where ids[number] == nil {
            take(number, item, byPlace: false)
            // A placeholder of which nothing is known stands for nothing.
            if ids[number] == nil, !item.isPlaceholder { assign(number, item, newID()) }
        }
    }

    /// nil while it is not known which item the folder is.
    private func folder(_ item: DriveScan.Found) -> String? {
        guard let number = item.folder else { return "" }
        return ids[number]
    }

    private mutating func take(_ number: Int, _ item: DriveScan.Found, byPlace: Bool) {
        guard let folder = folder(item) else { return }
        let place = DrivePlace(folder: folder, name: item.name)
        func fits(_ entry: DriveEntry?) -> DriveEntry? {
            entry.flatMap { $0.local?.shape.kind == item.shape.kind && found[$0.id] == nil ? $0 : nil }
        }
        let known = fits(state.local(at: place)).flatMap { isMovedAway($0, item) ? nil : $0 }
        let moved = fits(inodes[item.stamp.inode].flatMap { state[$0] }).flatMap {
            $0.local.map { $0.isPlaceholder == item.isPlaceholder && [0, item.born].contains($0.born) } == true
                ? $0 : nil
        }
        let isFolder = item.shape.kind == .folder
        let entry =
            byPlace
            ? known.flatMap { !isFolder || $0.id == moved?.id ? $0 : nil } : isFolder ? moved ?? known : known ?? moved
        if let entry { assign(number, item, entry.id) }
    }

    /// Whether a file was made where the placeholder of another one was, which somebody has moved.
    private func isMovedAway(_ entry: DriveEntry, _ item: DriveScan.Found) -> Bool {
        guard let local = entry.local, local.isPlaceholder, !item.isPlaceholder else { return false }
        return placeholders.contains(local.stamp.inode)
    }

    private mutating func assign(_ number: Int, _ item: DriveScan.Found, _ id: String) {
        guard let folder = folder(item) else { return }
        ids[number] = id
        found[id] = DriveEntry.Local(
            shape: DriveEntry.Shape(
                place: DrivePlace(folder: folder, name: item.name), kind: item.shape.kind,
                isExecutable: item.shape.isExecutable, target: item.shape.target),
            stamp: item.stamp, isPlaceholder: item.isPlaceholder, born: item.born)
    }
}
