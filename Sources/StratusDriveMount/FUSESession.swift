import Foundation
import Glibc
import StratusCFUSE
import StratusWorkers

/// The connection to the kernel.
final class FUSESession: Sendable {
    /// `@unchecked Sendable`: the pointer never changes, the session is never destroyed once it is mounted, and libfuse
    /// guards its own state with a lock, so its functions for a session may be called on any thread.
    struct Reference: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    let reference: Reference
    private let fileSystem: MountFileSystem

    /// Mounts a file system on a directory.
    init(_ fileSystem: MountFileSystem, on directory: String) throws(MountError) {
        self.fileSystem = fileSystem
        var operations = FUSEOperations.table
        // Never released: a directory that programs still use asks until the process ends.
        let context = Unmanaged.passRetained(fileSystem).toOpaque()
        let options = "fsname=stratus,subtype=stratus,default_permissions"
        guard let pointer = stratus_fuse_session(options, &operations, context) else {
            throw MountError("FUSE cannot be used")
        }
        reference = Reference(pointer: pointer)
        guard fuse_session_mount(pointer, directory) == 0 else {
            fuse_session_destroy(pointer)
            throw MountError(
                "'\(directory)' cannot be mounted; is the package 'fuse3' installed, and may you use /dev/fuse?")
        }
        fileSystem.kernel.attach(reference)
    }

    /// Answers the kernel on threads of its own.
    /// - Returns: when the file system is unmounted.
    func run() async {
        await withCheckedContinuation { continuation in
            let thread = Thread { [self] in
                _ = stratus_fuse_loop(reference.pointer)
                continuation.resume()
            }
            thread.start()
        }
    }

    /// Unmounts the file system. If programs still use it, it disappears from the tree of directories at once, and is
    /// gone when they end.
    func unmount() {
        fileSystem.kernel.attach(nil)
        fuse_session_exit(reference.pointer)
        fuse_session_unmount(reference.pointer)
    }
}

/// The reason why a directory cannot be mounted, as a message for the person.
package struct MountError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A request of the kernel, which is answered exactly once.
///
/// `@unchecked Sendable`: the pointer never changes, libfuse lets any thread answer a request, and it owns the request until
/// the one answer that each is given.
struct FUSERequest: @unchecked Sendable {
    let pointer: fuse_req_t
    private let fileSystem: MountFileSystem
    /// The seconds for which the kernel keeps names and attributes. It is notified of other devices' changes before
    /// that.
    private static let validity = 1.0

    init?(_ pointer: fuse_req_t?) {
        guard let pointer, let context = fuse_req_userdata(pointer) else { return nil }
        self.pointer = pointer
        fileSystem = Unmanaged<MountFileSystem>.fromOpaque(context).takeUnretainedValue()
    }

    /// Answers on this thread what needs nothing but this machine.
    func now(_ body: (MountFileSystem) throws -> Void) {
        do { try body(fileSystem) } catch { fail(error) }
    }

    /// Answers from a task what may wait for the server.
    func later(_ body: @escaping @Sendable (MountFileSystem) async throws -> Void) {
        Task(executorPreference: fileSystem.pool) { [self] in
            do { try await body(fileSystem) } catch { fail(error) }
        }
    }

    func fail(_ error: any Error) { reply(error: (error as? SystemError)?.code ?? EIO) }

    /// 0 for success.
    func reply(error: Int32 = 0) { fuse_reply_err(pointer, error) }

    func reply(entry attributes: FileAttributes, as name: String) {
        var entry = Self.entry(attributes, as: name)
        fuse_reply_entry(pointer, &entry)
    }

    func reply(created attributes: FileAttributes, as name: String, handle: UInt64) {
        var entry = Self.entry(attributes, as: name)
        var information = fuse_file_info()
        information.fh = handle
        fuse_reply_create(pointer, &entry, &information)
    }

    func reply(_ attributes: FileAttributes) {
        var status = attributes.status
        fuse_reply_attr(pointer, &status, Self.validity)
    }

    func reply(handle: UInt64) {
        var information = fuse_file_info()
        information.fh = handle
        fuse_reply_open(pointer, &information)
    }

    func reply(link target: String) { fuse_reply_readlink(pointer, target) }

    func reply(written count: Int) { fuse_reply_write(pointer, count) }

    func reply(_ bytes: UnsafeRawBufferPointer) {
        fuse_reply_buf(pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    func reply(_ statistics: statvfs) {
        var statistics = statistics
        fuse_reply_statfs(pointer, &statistics)
    }

    static func entry(_ attributes: FileAttributes, as name: String) -> fuse_entry_param {
        var entry = fuse_entry_param()
        entry.ino = attributes.inode
        entry.attr = attributes.status
        entry.attr_timeout = validity
        // Another spelling of the name is not known when the item gets another one.
        entry.entry_timeout = name.utf8.elementsEqual(attributes.name.utf8) ? validity : 0
        return entry
    }
}

extension FileAttributes {
    var status: stat {
        var status = stat()
        status.st_ino = ino_t(inode)
        let access: mode_t = kind == .folder || isExecutable ? 0o755 : 0o644
        status.st_mode = kind.mode | (kind == .link ? 0o777 : access)
        status.st_nlink = 1
        status.st_uid = getuid()
        status.st_gid = getgid()
        status.st_size = off_t(size)
        status.st_blksize = 4_096
        status.st_blocks = blkcnt_t((size + 511) / 512)
        status.st_mtim = Self.time(modified)
        status.st_ctim = Self.time(max(modified, created))
        status.st_atim = status.st_mtim
        return status
    }

    private static func time(_ milliseconds: Int64) -> timespec {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let isBefore = rest < 0
        return timespec(
            tv_sec: Int(isBefore ? seconds - 1 : seconds), tv_nsec: Int(isBefore ? rest + 1_000 : rest) * 1_000_000)
    }
}
