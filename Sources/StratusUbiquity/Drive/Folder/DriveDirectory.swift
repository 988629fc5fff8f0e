import Foundation
import Glibc
import StratusCUbiquity
import StratusCloudModel

/// A directory of the container that is open, reached without following a symbolic link: what is done in it stays in the
/// container, whatever others put in its path meanwhile.
final class DriveDirectory {
    let descriptor: Int32
    /// Called before each change.
    let checkpoints: DriveCheckpoints?

    private init(_ descriptor: Int32, _ checkpoints: DriveCheckpoints?) {
        (self.descriptor, self.checkpoints) = (descriptor, checkpoints)
    }

    deinit { close(descriptor) }

    /// Opens the container itself, which may be a link of the user's.
    static func root(_ path: String, _ checkpoints: DriveCheckpoints? = nil) throws -> DriveDirectory {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DriveFailure.system(errno, path) }
        return DriveDirectory(descriptor, checkpoints)
    }

    func open(_ name: String) throws -> DriveDirectory {
        let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw DriveFailure.system(errno, name) }
        return DriveDirectory(opened, checkpoints)
    }

    /// Opens a folder; nil if it was removed or replaced since it was listed, which the next scan sees.
    /// - Throws: If it cannot be read: what is in it was not deleted.
    func openIfThere(_ name: String) throws -> DriveDirectory? {
        do {
            return try open(name)
        } catch DriveFailure.system(let code, _) where code == ENOENT || code == ENOTDIR || code == ELOOP {
            return nil
        }
    }

    /// Names of what is in it.
    func names() throws -> [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw DriveFailure.system(errno, ".") }
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw DriveFailure.system(ENOMEM, ".")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = try Self.next(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            // Names that are not UTF-8 cannot be on the server.
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The next entry of a directory; nil at its end. Only `errno` distinguishes the end from an error.
    private static func next(_ stream: OpaquePointer) throws -> UnsafeMutablePointer<dirent>? {
        errno = 0
        if let entry = readdir(stream) { return entry }
        guard errno == 0 else { throw DriveFailure.system(errno, ".") }
        return nil
    }

    /// When the item at a name was created, in nanoseconds since 1970-01-01 UTC; 0 if the file system does not say.
    func born(_ name: String) -> Int64 { stratus_birth_time(descriptor, name) }

    /// The status of the item at a name; nil if nothing has the name.
    func status(_ name: String) throws -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        guard errno == ENOENT else { throw DriveFailure.system(errno, name) }
        return nil
    }

    /// The stamp of the item at a name; nil if nothing has the name.
    func stamp(_ name: String, _ kind: FileKind) throws -> DriveStamp? {
        guard kind == .package else { return try status(name)?.stamp }
        return try packageStamp(name)?.stamp
    }

    /// The stamp of a package, and the nanoseconds after which a further change would have another time.
    func packageStamp(_ name: String) throws -> (stamp: DriveStamp, settles: Int64)? {
        guard let status = try status(name) else { return nil }
        guard status.kind == .folder else { return (status.stamp, 0) }
        var hash = PackageHash()
        try open(name).add(to: &hash, path: "")
        let stamp = DriveStamp(
            inode: status.stamp.inode, size: hash.size, modified: Int64(bitPattern: hash.value))
        return (stamp, hash.settles)
    }

    private func add(to hash: inout PackageHash, path: String) throws {
        for name in try names() {
            guard let status = try status(name), let kind = status.kind else { continue }
            let inner = path + "/" + name
            hash.add(inner, status.stamp, kind)
            guard kind == .folder else { continue }
            guard inner.utf8.count <= Int(PATH_MAX) else { throw DriveFailure.system(ENAMETOOLONG, inner) }
            try open(name).add(to: &hash, path: inner)
        }
    }

    /// The target of a symbolic link; nil if it is not UTF-8, or longer than Linux allows.
    func target(_ name: String) throws -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = readlinkat(descriptor, name, &bytes, bytes.count)
        guard count >= 0 else { throw DriveFailure.system(errno, name) }
        return count < bytes.count ? String(validating: bytes[..<count], as: UTF8.self) : nil
    }
}

/// A number that stands for the names, sizes and times of everything in a package.
private struct PackageHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var size: Int64 = 0
    private(set) var settles: Int64 = 0

    mutating func add(_ path: String, _ stamp: DriveStamp, _ kind: FileKind) {
        if kind == .file {
            size += stamp.size
            settles = max(settles, stamp.settles)
        }
        // The size and time of a directory change with what is in it, which is added, too.
        let numbers = kind == .folder ? "" : "\(stamp.inode) \(stamp.size) \(stamp.modified)"
        for byte in "\(kind) \(path)\0\(numbers)\n".utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}

/// A reason why a step of an agent cannot be done.
enum DriveFailure: Error, Hashable, CustomStringConvertible {
    case system(Int32, String)
    /// The item is not the expected one. The directory is scanned again first.
    case changed(String)
    case content(String)
    /// The copies of contents in conflict cannot be written or removed.
    case copies(String)
    /// A program uses the item.
    case inUse(String)
    /// A program that has the item open could not make way, or coordination with programs does not work.
    case coordination(String)
    /// The disk with the item is not mounted.
    case unmounted(String)
    /// The file with the names to ignore cannot be used.
    case ignoreFile(String)

    var isOutOfSpace: Bool {
        guard case .system(let code, _) = self else { return false }
        return code == ENOSPC || code == EDQUOT
    }

    var description: String {
        switch self {
        case .system(let code, let path): "'\(path)': \(String(cString: strerror(code)))"
        case .changed(let path): "'\(path)' was changed meanwhile"
        case .content(let path): "'\(path)': the content that came is not the one that was announced"
        case .inUse(let path): "'\(path)' is used by a program that did not make way in time"
        case .coordination(let text): text
        case .unmounted(let path): "the disk of '\(path)' is not mounted"
        case .ignoreFile(let text): "'\(DriveIgnoreFile.name)': \(text)"
        case .copies(let text): "the contents in conflict cannot be kept on this device: \(text)"
        }
    }
}

extension stat {
    /// The permissions, with those to execute for all who can read, or for nobody.
    func mode(isExecutable: Bool) -> mode_t {
        st_mode & 0o666 | (isExecutable ? (st_mode & 0o444) >> 2 : 0)
    }

    /// Whether the owner may execute it.
    var isExecutable: Bool { st_mode & 0o100 != 0 }

    var stamp: DriveStamp {
        DriveStamp(
            inode: UInt64(st_ino), size: Int64(st_size),
            // Dates that do not fit are told apart, too.
            modified: Int64(st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(st_mtim.tv_nsec))
    }

    var kind: FileKind? {
        switch st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: nil
        }
    }
}
