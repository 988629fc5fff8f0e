import Foundation
import Glibc
import StratusCloudCrypto
import StratusCloudModel

/// The directory of a container, and what is done in it. Blocks.
struct DriveFolder: Sendable {
    /// Bytes of a file that are in memory at a time.
    private static let piece = 1 << 18
    let path: String
    /// Called before each change.
    let checkpoints: DriveCheckpoints
    /// The disks that are mounted on its folders.
    let mounts = DriveMounts()
    var staging: String { path + "/" + UbiquityContainer.ownFolder + "/staging" }

    /// Makes the directories of Stratus's own, and puts back what an earlier process left there.
    /// - Parameter isKnown: Returns whether the agent knows an item of the container with this stamp.
    func prepare(isKnown: (DriveStamp) throws -> Bool) throws {
        try checkpoints(.creating, "")
        try FileManager.default.createDirectory(
            atPath: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Files that an earlier process left.
        for name in try FileManager.default.contentsOfDirectory(atPath: staging) {
            try FileManager.default.removeItem(atPath: staging + "/" + name)
        }
        try recover(isKnown)
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
        for (index, name) in names.enumerated() {
            directory = try directory.open(name)
            try mounts.check(directory, at: names[...index])
        }
        return directory
    }

    func newStagingName() -> String { UUID().uuidString }

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

    /// Reads a file to its end.
    /// - Returns: The checksum of what was read.
    static func read(
        _ file: Int32, _ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> String {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: piece)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw DriveFailure.system(errno, name) }
            guard count > 0 else { return AssetChecksum.string(sha256: hash.digest()) }
            try buffer.withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                hash.update(part)
                try body(part)
            }
        }
    }

    /// A new empty file in staging for an item.
    func newStagedFile(for name: String) throws -> String {
        let path = staging + "/" + newStagingName()
        try checkpoints(.creating, "")
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DriveFailure.system(errno, name) }
        close(file)
        return path
    }

    /// The checksum of a file in staging.
    /// - Parameter name: The name of the item, for errors.
    func checksum(ofStaged path: String, _ name: String) throws -> String {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw DriveFailure.system(errno, name) }
        defer { close(file) }
        return try Self.read(file, name) { _ in }
    }

    /// Gives a file in staging the date and mode of its item.
    func finish(_ copy: String, _ name: String, modified: Int64, isExecutable: Bool) throws {
        let seconds = modified >= 0 ? modified / 1_000 : (modified - 999) / 1_000
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(modified - seconds * 1_000) * 1_000_000)
        guard chmod(copy, isExecutable ? 0o755 : 0o644) == 0, utimensat(AT_FDCWD, copy, [time, time], 0) == 0 else {
            throw DriveFailure.system(errno, name)
        }
    }
}
