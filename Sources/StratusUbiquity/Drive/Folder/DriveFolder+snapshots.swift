import Foundation
import Glibc
import StratusCUbiquity

/// Copies of items as they were at one moment.
extension DriveFolder {
    /// Copies a file of the container, as it was at one moment, to a file of Stratus's own.
    /// - Returns: The copy, its checksum, and the stamp of the file.
    /// - Throws: `changed` if somebody writes it.
    func snapshot(_ names: [String]) throws -> (copy: String, checksum: String, stamp: DriveStamp) {
        guard let name = names.last else { throw DriveFailure.changed("") }
        let directory = try directory(Array(names.dropLast()))
        let file = try directory.openFile(name)
        defer { close(file) }
        // Refused while somebody has the file open for writing. File systems without leases cannot say.
        if stratus_is_being_written(file) == 1 { throw DriveFailure.changed(name) }
        var before = stat()
        guard fstat(file, &before) == 0, before.kind == .file else { throw DriveFailure.changed(name) }
        try checkRoom(for: before.stamp.size, name)
        Self.wait(before.stamp.settles)
        // The server must not have a content that a power cut could take from this machine.
        guard fsync(file) == 0 else { throw DriveFailure.system(errno, name) }
        try checkpoints(.creating, name)
        let copy = staging + "/" + newStagingName()
        let checksum = try Self.copy(file, to: copy, name)
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
            return (copy, try checksum(ofStaged: copy, name), before)
        } catch {
            discard(copy)
            throw error
        }
    }

    private static func wait(_ nanoseconds: Int64) {
        if nanoseconds > 0 { usleep(useconds_t((nanoseconds + 999) / 1_000)) }
    }

    /// Throws unless the disk has room for a copy of an item. A copy for which it has not would fill it.
    private func checkRoom(for size: Int64, _ name: String) throws {
        var status = statvfs()
        guard statvfs(staging, &status) == 0, status.f_blocks > 0 else { return }
        let (free, isFar) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard isFar || Int64(clamping: free) >= size else { throw DriveFailure.system(ENOSPC, name) }
    }

    /// - Parameter name: The name of the item, for errors. Paths in staging are other ones each time.
    private static func copy(_ source: Int32, to path: String, _ name: String) throws -> String {
        let target = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw DriveFailure.system(errno, name) }
        defer { close(target) }
        do {
            return try read(source, name) { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let count = write(target, rest.baseAddress, rest.count)
                    guard count > 0 else { throw DriveFailure.system(errno, name) }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        } catch {
            unlink(path)
            throw error
        }
    }
}
