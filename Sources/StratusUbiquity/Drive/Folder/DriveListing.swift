import Foundation
import Glibc
import StratusCloudModel

/// A folder that a scan goes through.
final class DriveScannedFolder {
    /// The names on the way to it, from the container on.
    let names: [String]
    /// The name of its record; nil while it is not known which item it is.
    var id: String?

    init(_ names: [String], id: String?) { (self.names, self.id) = (names, id) }
}

/// An item that a scan found.
struct DriveFound {
    let folder: DriveScannedFolder
    let name: String
    let shape: (kind: FileKind, isExecutable: Bool, target: String?)
    let stamp: DriveStamp
    let identity: FileIdentity
    let isPlaceholder: Bool
    let born: Int64
    /// Whether the file has no further hard links. Directories have none.
    let hasOneName: Bool
    /// The folder that it is; nil for other items.
    let inner: DriveScannedFolder?
    /// Whether it is the item that has its identity rather than the one that was at its place. Programs write a new file in
    /// the place of an old one, but they only move placeholders and folders.
    var isKnownByIdentity: Bool { inner != nil || isPlaceholder }

    /// The item in the local tree, if its folder is that of a record.
    func local(in folder: String) -> DriveEntry.Local {
        DriveEntry.Local(
            shape: DriveEntry.Shape(
                place: DrivePlace(folder: folder, name: name), kind: shape.kind,
                isExecutable: shape.isExecutable, target: shape.target),
            stamp: stamp, isPlaceholder: isPlaceholder, born: born)
    }
}

/// The items in one directory of the container now.
struct DriveListing {
    private(set) var items: [DriveFound] = []
    /// Placeholders beside the files that they stood for.
    private(set) var spentPlaceholders: [String] = []

    /// Lists a directory. Follows no link and changes nothing.
    /// - Parameters:
    ///   - container: The path of the container.
    ///   - watch: Called with each directory of a package before it is looked at.
    init(
        _ directory: DriveDirectory, _ folder: DriveScannedFolder, in container: String,
        ignores: (String) -> Bool, watch: (String, DriveDirectory) -> Void
    ) throws {
        let place = ([container] + folder.names).joined(separator: "/")
        let names = try directory.names()
        let known = Set(names)
        for name in names {
            if folder.names.isEmpty, name == UbiquityContainer.ownFolder { continue }
            // A placeholder is ignored if its item is.
            guard !ignores(UbiquityState.item(ofPlaceholder: name) ?? name), let status = try directory.status(name),
                let found = status.kind
            else { continue }
            let kind = found == .folder && FilePackage.isPackageToAll(place + "/" + name) ? FileKind.package : found
            if kind == .package, let package = try directory.openIfThere(name) {
                try Self.follow(package, place + "/" + name, watch)
            }
            // The next scan sees what was removed meanwhile.
            guard let stamp = try directory.stamp(name, kind) else { continue }
            if found == .file || found == .folder, UbiquityState.isExcluded(place + "/" + name) { continue }
            let item = UbiquityState.item(ofPlaceholder: name)
            let isPlaceholder = item != nil && kind == .file
            if isPlaceholder, let item, known.contains(item), status.st_size == 0,
                try directory.status(item)?.kind == .file
            {
                spentPlaceholders.append(name)
                continue
            }
            let target = kind == .link ? try directory.target(name) : nil
            // A path that is not UTF-8 cannot be on the server.
            if kind == .link, target == nil { continue }
            items.append(
                DriveFound(
                    folder: folder, name: isPlaceholder ? item ?? name : name,
                    shape: (kind, kind == .file && status.isExecutable, target), stamp: stamp,
                    identity: FileIdentity(status), isPlaceholder: isPlaceholder, born: directory.born(name),
                    hasOneName: found == .folder || status.st_nlink == 1,
                    inner: kind == .folder ? DriveScannedFolder(folder.names + [name], id: nil) : nil))
        }
    }

    /// Watches the directories in a package, which is one item.
    private static func follow(
        _ directory: DriveDirectory, _ path: String, _ watch: (String, DriveDirectory) -> Void
    ) throws {
        watch(path, directory)
        for name in try directory.names() where try directory.status(name)?.kind == .folder {
            guard let next = try directory.openIfThere(name) else { continue }
            try follow(next, path + "/" + name, watch)
        }
    }
}
