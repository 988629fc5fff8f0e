import Foundation
import Glibc
import StratusCUbiquity

/// Changes of what is in an open directory. Nothing that is at a name is replaced.
///
/// These are methods, so that the directory stays open until the call of the system has returned.
///
/// - Throws: ``DriveFailure/changed(_:)`` if the item at a name is not the expected one.
extension DriveDirectory {
    func makeFolder(_ name: String) throws {
        try checkpoints?(.creating, name)
        try check(mkdirat(descriptor, name, 0o755), name)
    }

    func makeLink(_ name: String, to target: String) throws {
        try checkpoints?(.creating, name)
        try check(symlinkat(target, descriptor, name), name)
    }

    func remove(_ name: String) throws {
        try checkpoints?(.removing, name)
        try check(unlinkat(descriptor, name, 0), name)
    }

    /// - Returns: Whether the folder was removed; false if something is in it.
    func removeEmptyFolder(_ name: String) throws -> Bool {
        try checkpoints?(.removing, name)
        let status = unlinkat(descriptor, name, AT_REMOVEDIR)
        if status != 0, errno == ENOTEMPTY || errno == EEXIST { return false }
        try check(status, name)
        return true
    }

    /// Moves a file from a path of Stratus's own to a name.
    func place(_ path: String, at name: String) throws {
        try checkpoints?(.moving, name)
        try check(stratus_rename_new(AT_FDCWD, path, descriptor, name), name)
    }

    /// Moves what is at a name to a path of Stratus's own.
    func take(_ name: String, to path: String) throws {
        try checkpoints?(.moving, name)
        try check(stratus_rename_new(descriptor, name, AT_FDCWD, path), name)
    }

    /// Lets a file at a path of Stratus's own and what is at a name change places.
    func exchange(_ name: String, with path: String) throws {
        try checkpoints?(.moving, name)
        try check(stratus_exchange_in(AT_FDCWD, path, descriptor, name), name)
    }

    /// - Returns: Whether it was moved; false if something has the new name.
    func move(_ name: String, to other: DriveDirectory, as newName: String) throws -> Bool {
        try checkpoints?(.moving, name)
        let status = stratus_rename_new(descriptor, name, other.descriptor, newName)
        if status != 0, errno == EEXIST { return false }
        try check(status, name)
        return true
    }

    /// Lets those execute a file who can read it, or nobody.
    func setExecutable(_ isExecutable: Bool, of name: String) throws {
        try checkpoints?(.moving, name)
        let file = try openFile(name)
        defer { close(file) }
        var status = stat()
        try check(fstat(file, &status), name)
        guard status.kind == .file else { throw DriveFailure.changed(name) }
        try check(fchmod(file, status.mode(isExecutable: isExecutable)), name)
    }

    /// Lets what was moved here outlive a power cut.
    func synchronize() throws { try check(fsync(descriptor), ".") }

    /// Opens a file to read it, without following a link or waiting for somebody.
    /// - Returns: A descriptor, which the caller closes.
    func openFile(_ name: String) throws -> Int32 {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        try check(file, name)
        return file
    }

    /// Makes a file, to write it.
    /// - Returns: A descriptor, which the caller closes.
    func createFile(_ name: String, mode: mode_t) throws -> Int32 {
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        try check(file, name)
        return file
    }

    private func check(_ status: Int32, _ name: String) throws {
        guard status < 0 else { return }
        throw errno == EEXIST || errno == ENOENT || errno == ENOTDIR
            ? DriveFailure.changed(name) : DriveFailure.system(errno, name)
    }
}
