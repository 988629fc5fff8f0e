import Foundation
import Glibc
import StratusCUbiquity
import StratusCloudCrypto
import StratusCloudModel

/// The directory of a container, and what is done in it. Blocks.
struct DriveFolder: Sendable {
    /// Bytes of a file that are in memory at a time.
    private static let piece = 1 << 18
    let path: String
    /// Called before each change.
    let checkpoints: DriveCheckpoints
    var staging: String { path + "/" + UbiquityContainer.ownFolder + "/staging" }

    func prepare() throws {
        try checkpoints(.creating, "")
        try FileManager.default.createDirectory(
            atPath: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Files that an earlier process left.
        for name in try FileManager.default.contentsOfDirectory(atPath: staging) {
            try FileManager.default.removeItem(atPath: staging + "/" + name)
        }
        try recover()
    }

    /// The directory of items that were taken from the container, until their stamps are checked. ``recover()`` puts
    /// back those that a process left there.
    private var aside: String { path + "/" + UbiquityContainer.ownFolder + "/aside" }

    /// The suffix of the file beside a directory in ``aside``, with the names of the folders that its item is from.
    private static let placeSuffix = ".place"

    /// A path for an item of the container that is taken away for a moment.
    /// - Parameter folder: The names of the folders that the item is put back to; none for the container itself.
    func newPathAside(_ name: String, from folder: [String]) throws -> String {
        let directory = aside + "/" + newStagingName()
        try checkpoints(.creating, name)
        if !folder.isEmpty {
            try FileManager.default.createDirectory(
                atPath: aside, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try JSONEncoder().encode(folder).write(to: URL(fileURLWithPath: directory + Self.placeSuffix))
        }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return directory + "/" + name
    }

    /// Deletes what is at a path that ``newPathAside(_:from:)`` returned.
    /// - Parameter staged: A path in staging for what is kept of it; nil to keep nothing.
    func discardAside(_ path: String, keeping staged: String? = nil) {
        if let staged, checkpoints.allows(.moving, "") { rename(path, staged) }
        let directory = (path as NSString).deletingLastPathComponent
        discard(directory)
        unlink(directory + Self.placeSuffix)
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

    /// Puts back what a process left aside: where it was, or in the container's directory itself.
    private func recover() throws {
        guard FileManager.default.fileExists(atPath: aside) else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: aside)
        for directory in names where !directory.hasSuffix(Self.placeSuffix) {
            let place = try place(ofAside: aside + "/" + directory)
            for name in try FileManager.default.contentsOfDirectory(atPath: aside + "/" + directory) {
                try putBack(aside + "/" + directory + "/" + name, at: name, in: place)
            }
            discard(aside + "/" + directory)
        }
        for name in names where name.hasSuffix(Self.placeSuffix) { unlink(aside + "/" + name) }
    }

    private func place(ofAside directory: String) throws -> DriveDirectory {
        let bytes = FileManager.default.contents(atPath: directory + Self.placeSuffix) ?? Data()
        // Without a whole list, and where the folder is gone, the item goes to the container itself.
        guard let names = try? JSONDecoder().decode([String].self, from: bytes),
            (try? DrivePath.check(names.joined(separator: "/"))) != nil, let folder = try? self.directory(names)
        else { return try self.directory([]) }
        return folder
    }

    private var mark: String { path + "/" + UbiquityContainer.ownFolder + "/agent" }

    /// The mark that distinguishes the directory from another one at the same path, such as the mount point of a disk
    /// that is not mounted; nil if no agent has marked it.
    var identity: Data? { FileManager.default.contents(atPath: mark) }

    /// Marks the directory.
    /// - Returns: Its identity.
    func makeIdentity() throws -> Data {
        let identity = Data(UUID().uuidString.utf8)
        try checkpoints(.creating, "")
        try identity.write(to: URL(fileURLWithPath: mark), options: .atomic)
        return identity
    }

    /// The directory of a path of names.
    func directory(_ names: [String]) throws -> DriveDirectory {
        var directory = try DriveDirectory.root(path, checkpoints)
        for name in names { directory = try directory.open(name) }
        return directory
    }

    func newStagingName() -> String { UUID().uuidString }

    /// Copies a file of the container, as it was at one moment, to a file of Stratus's own.
    /// - Returns: The copy, its checksum, and the stamp of the file.
    /// - Throws: `changed` if somebody writes it.
    func snapshot(_ names: [String]) throws -> (copy: String, checksum: String, stamp: DriveStamp) {
        guard let name = names.last else { throw DriveFailure.changed("") }
        let directory = try directory(Array(names.dropLast()))
        let file = try directory.openFile(name)
        defer { close(file) }
        // Refused while somebody has the file open for writing. File systems without leases cannot say.
        if stratus_is_being_written(file) != 0 { throw DriveFailure.changed(name) }
        var before = stat()
        guard fstat(file, &before) == 0, before.kind == .file else { throw DriveFailure.changed(name) }
        Self.wait(before.stamp.settles)
        // The server must not have a content that a power cut could take from this machine.
        guard fsync(file) == 0 else { throw DriveFailure.system(errno, name) }
        try checkpoints(.creating, name)
        let copy = staging + "/" + newStagingName()
        let checksum = try Self.copy(file, to: copy)
        var after = stat()
        guard fstat(file, &after) == 0, after.stamp == before.stamp else {
            unlink(copy)
            throw DriveFailure.changed(name)
        }
        return (copy, checksum, before.stamp)
    }

    /// Packs a package of the container, as it was at one moment, into a file of Stratus's own.
    func packageSnapshot(_ names: [String]) throws -> (copy: String, checksum: String, stamp: DriveStamp) {
        guard let name = names.last else { throw DriveFailure.changed("") }
        let directory = try directory(Array(names.dropLast()))
        guard let (before, settles) = try directory.packageStamp(name) else { throw DriveFailure.changed(name) }
        Self.wait(settles)
        try checkpoints(.creating, name)
        let copy = staging + "/" + newStagingName()
        do {
            let url = URL(fileURLWithPath: ([path] + names).joined(separator: "/"), isDirectory: true)
            try ZipArchive.write(directory: url, to: URL(fileURLWithPath: copy))
            guard try directory.stamp(name, .package) == before else { throw DriveFailure.changed(name) }
            return (copy, try checksum(ofStaged: copy), before)
        } catch {
            discard(copy)
            throw error
        }
    }

    /// Unpacks a file in staging into a directory there, which is a package.
    func unpack(_ staged: String, as name: String) throws -> String {
        let package = staging + "/" + newStagingName() + "." + (name as NSString).pathExtension
        try checkpoints(.creating, name)
        do {
            try ZipReader(path: staged).unpack(to: package)
            FilePackage.mark(package)
            return package
        } catch {
            discard(package)
            throw error
        }
    }

    /// Removes an item in staging, if it is still there. What remains is removed by the next process.
    func discard(_ staged: String) {
        if checkpoints.allows(.removing, "") { try? FileManager.default.removeItem(atPath: staged) }
    }

    /// The stamp of an item at a path of Stratus's own.
    func stamp(at path: String, _ kind: FileKind) throws -> DriveStamp? {
        let path = path as NSString
        return try DriveDirectory.root(path.deletingLastPathComponent).stamp(path.lastPathComponent, kind)
    }

    private static func wait(_ nanoseconds: Int64) {
        if nanoseconds > 0 { usleep(useconds_t((nanoseconds + 999) / 1_000)) }
    }

    private static func copy(_ source: Int32, to path: String) throws -> String {
        let target = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw DriveFailure.system(errno, path) }
        defer { close(target) }
        do {
            return try read(source, path) { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let count = write(target, rest.baseAddress, rest.count)
                    guard count > 0 else { throw DriveFailure.system(errno, path) }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Reads a file to its end.
    /// - Returns: The checksum of what was read.
    private static func read(
        _ file: Int32, _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> String {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: piece)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw DriveFailure.system(errno, path) }
            guard count > 0 else { return AssetChecksum.string(sha256: hash.digest()) }
            try buffer.withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                hash.update(part)
                try body(part)
            }
        }
    }

    /// A new empty file in staging.
    func newStagedFile() throws -> String {
        let path = staging + "/" + newStagingName()
        try checkpoints(.creating, "")
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DriveFailure.system(errno, path) }
        close(file)
        return path
    }

    /// The checksum of a file in staging, which is on the disk then.
    func checksum(ofStaged path: String) throws -> String {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw DriveFailure.system(errno, path) }
        defer { close(file) }
        let checksum = try Self.read(file, path) { _ in }
        guard fsync(file) == 0 else { throw DriveFailure.system(errno, path) }
        return checksum
    }

    /// Gives a file in staging the date and mode of its item.
    func finish(_ copy: String, modified: Int64, isExecutable: Bool) throws {
        let seconds = modified >= 0 ? modified / 1_000 : (modified - 999) / 1_000
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(modified - seconds * 1_000) * 1_000_000)
        guard chmod(copy, isExecutable ? 0o755 : 0o644) == 0, utimensat(AT_FDCWD, copy, [time, time], 0) == 0 else {
            throw DriveFailure.system(errno, copy)
        }
    }
}
