import Foundation
import Glibc
import StratusCloudModel

/// Items that are taken from the container until their stamps are checked.
extension DriveFolder {
    /// The names of the folders that an item aside is from, and the stamp of the agent's own item that takes its place.
    private struct Origin: Codable {
        var folder: [String] = []
        var new: DriveStamp?
    }

    /// The directory of such items. The next process puts back those that a process left there.
    private var aside: String { path + "/" + UbiquityContainer.ownFolder + "/aside" }

    /// The suffix of the file beside a directory in ``aside`` that says where its item is from.
    private static let originSuffix = ".place"

    /// A path for an item of the container that is taken away for a moment.
    /// - Parameters:
    ///   - folder: The names of the folders that the item is put back to; none for the container itself.
    ///   - new: The stamp of the agent's item that is moved to the path, to change places with the other one.
    func newPathAside(_ name: String, from folder: [String], for new: DriveStamp? = nil) throws -> String {
        let directory = aside + "/" + newStagingName()
        try checkpoints(.creating, name)
        if !folder.isEmpty || new != nil {
            try FileManager.default.createDirectory(
                atPath: aside, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try JSONEncoder().encode(Origin(folder: folder, new: new))
                .write(to: URL(fileURLWithPath: directory + Self.originSuffix))
        }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return directory + "/" + name
    }

    /// Deletes what is at a path that ``newPathAside(_:from:for:)`` returned.
    /// - Parameter staged: A path in staging for what is kept of it; nil to keep nothing.
    func discardAside(_ path: String, keeping staged: String? = nil) {
        if let staged, checkpoints.allows(.moving, "") { rename(path, staged) }
        let directory = (path as NSString).deletingLastPathComponent
        discard(directory)
        if checkpoints.allows(.removing, "") { unlink(directory + Self.originSuffix) }
    }

    /// Puts an item back that was taken away, under another name if its own is taken.
    func putBack(_ aside: String, at name: String, in directory: DriveDirectory) throws {
        for number in 1...FileLimits.numbersTried {
            do {
                try directory.place(aside, at: number == 1 ? name : FileName.numbered(name, number))
                return discardAside(aside)
            } catch DriveFailure.changed {}
        }
        throw DriveFailure.changed(name)
    }

    // MARK: - After a process that ended

    /// Puts back what a process left aside: where it was, or in the container's directory itself.
    func recover(_ isKnown: (DriveStamp) throws -> Bool) throws {
        guard FileManager.default.fileExists(atPath: aside) else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: aside)
        for directory in names where !directory.hasSuffix(Self.originSuffix) {
            let origin = origin(ofAside: aside + "/" + directory)
            // An item whose folder is gone goes to the container itself.
            let place = try (try? self.directory(origin.folder)) ?? self.directory([])
            for name in try FileManager.default.contentsOfDirectory(atPath: aside + "/" + directory) {
                try recover(aside + "/" + directory + "/" + name, name, to: place, origin.new, isKnown)
            }
            discard(aside + "/" + directory)
        }
        for name in names where name.hasSuffix(Self.originSuffix) { unlink(aside + "/" + name) }
    }

    private func recover(
        _ aside: String, _ name: String, to place: DriveDirectory, _ new: DriveStamp?,
        _ isKnown: (DriveStamp) throws -> Bool
    ) throws {
        guard let new else { return try putBack(aside, at: name, in: place) }
        // The agent's own item has not taken the place, or has left it again. Or it has, and the other one was checked.
        if try stamp(at: aside, .package) == new || isKnown(new) { return discardAside(aside) }
        guard try place.stamp(name, .package) == new else { return try putBack(aside, at: name, in: place) }
        try place.exchange(name, with: aside)
        // Somebody may have written the agent's item meanwhile.
        guard try stamp(at: aside, .package) == new else { return try putBack(aside, at: name, in: place) }
        discardAside(aside)
    }

    /// The origin of what is in a directory aside; the container itself if it is not known.
    private func origin(ofAside directory: String) -> Origin {
        let bytes = FileManager.default.contents(atPath: directory + Self.originSuffix) ?? Data()
        let decoder = JSONDecoder()
        // Earlier versions wrote the names only. A file that is not whole says nothing.
        guard
            let origin = (try? decoder.decode(Origin.self, from: bytes))
                ?? (try? decoder.decode([String].self, from: bytes)).map({ Origin(folder: $0) }),
            origin.folder.isEmpty || (try? DrivePath.check(origin.folder.joined(separator: "/"))) != nil
        else { return Origin() }
        return origin
    }
}
