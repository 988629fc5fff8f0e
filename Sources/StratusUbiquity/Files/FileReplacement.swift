import Foundation
import Glibc
import StratusCUbiquity

/// Putting a file or directory in the place of another one, so that the place always has one of the two as a whole.
enum FileReplacement {
    /// A name beside an item, which no agent synchronizes. As short for items with long names, and with an extension, so
    /// that a directory there can be a package.
    static func temporaryPlace(beside url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).stratus")
    }

    /// Lets two items change places. If there is only the new one, it takes the place.
    /// - Returns: Whether `new` is now the item that was in the place.
    static func exchange(_ new: URL, with place: URL) throws -> Bool {
        if stratus_exchange(new.path, place.path) == 0 { return true }
        guard errno == ENOENT else {
            // File systems that cannot exchange items can still replace one.
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else {
                throw CoordinationDirectory.error(errno, place.path)
            }
            try FileWrapper.exchange(new, into: place)
            return false
        }
        if stratus_rename_new(AT_FDCWD, new.path, AT_FDCWD, place.path) == 0 { return false }
        // Somebody has made one meanwhile.
        guard errno == EEXIST, stratus_exchange(new.path, place.path) == 0 else {
            throw CoordinationDirectory.error(errno, place.path)
        }
        return true
    }

    /// Returns when an item and everything in it is on the disk.
    static func synchronize(_ url: URL) throws {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { throw CoordinationDirectory.error(errno, url.path) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
                try synchronize(url.appendingPathComponent(name))
            }
        case S_IFREG: break
        default: return
        }
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw CoordinationDirectory.error(errno, url.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw CoordinationDirectory.error(errno, url.path) }
    }
}
