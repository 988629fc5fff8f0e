import Foundation
import Glibc

/// The directory that is mounted on.
enum MountPoint {
    /// The canonical path of a directory that can be mounted.
    static func check(_ path: String) throws(MountError) -> String {
        guard let folder = opendir(path) else {
            switch errno {
            case ENOTCONN:
                throw MountError(
                    "'\(path)' is a mount whose process has ended; run 'fusermount3 -u \(path)' first")
            case ENOTDIR: throw MountError("'\(path)' is not a directory")
            default: throw MountError("'\(path)' cannot be mounted: \(String(cString: strerror(errno)))")
            }
        }
        closedir(folder)
        var (status, above) = (stat(), stat())
        if stat(path, &status) == 0, stat(path + "/..", &above) == 0, above.st_dev != status.st_dev {
            throw MountError("'\(path)' is mounted already")
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw MountError("'\(path)' cannot be read")
        }
        guard names.isEmpty else { throw MountError("'\(path)' is not empty; give an empty directory") }
        guard let real = realpath(path, nil) else { throw MountError("'\(path)' has no canonical path") }
        defer { free(real) }
        return String(cString: real)
    }
}
