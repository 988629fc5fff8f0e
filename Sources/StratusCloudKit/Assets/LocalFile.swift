import Foundation
import Glibc
import StratusWorkers

/// The file of an asset, read and written in pieces on threads that may wait for the disk.
public struct LocalFile: Hashable, Sendable {
    /// Why a file cannot be used.
    public enum Failure: Error, Hashable, Sendable {
        /// There is no such file.
        case notFound(String)
        /// It is another than it was.
        case modified(String)
        /// It cannot be read or written; with the system's word for it.
        case notAvailable(String, errno: Int32)
    }

    /// What tells whether a file is the same as before.
    private struct Stamp: Hashable, Sendable {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
        var inode: UInt64
    }

    /// Where the file is.
    public let path: String
    /// What it must still be; nil for a file that may change.
    private var pin: Stamp?
    private static let pool = WorkerPool(threads: 2)

    /// Names a file.
    public init(path: String) { self.path = path }

    /// The file as it is now: once it is another, reading it fails with ``Failure/modified(_:)``.
    public func pinned() async throws(Failure) -> LocalFile {
        var file = self
        file.pin = try await Self.run { () throws(Failure) in try stamp() }
        return file
    }

    /// Size and time of the last change.
    private func stamp() throws(Failure) -> Stamp {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAvailable(path, errno: EISDIR) }
        return Stamp(
            size: Int64(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
            inode: UInt64(status.st_ino))
    }

    /// Bytes in the file; those it had when it was ``pinned()``.
    public func size() async throws(Failure) -> Int64 {
        if let pin { return pin.size }
        return try await Self.run { () throws(Failure) in try stamp() }.size
    }

    /// The bytes from an offset on, at most `count`; fewer only at the end.
    public func read(at offset: Int64, count: Int) async throws(Failure) -> [UInt8] {
        try await Self.run { () throws(Failure) in
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw failure() }
            defer { close(file) }
            var filled = 0
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                while filled < count {
                    let space = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let taken = pread(file, space.baseAddress, space.count, off_t(offset) + off_t(filled))
                    if taken < 0, errno == EINTR { continue }
                    if taken < 0 { code = errno }
                    guard taken > 0 else { break }
                    filled += taken
                }
                initialized = filled
            }
            guard code == 0 else { throw .notAvailable(path, errno: code) }
            // Asked after the bytes were read: they are those of the file as it was.
            if let pin, try stamp() != pin { throw .modified(path) }
            return bytes
        }
    }

    /// Puts bytes at an offset; the file is made if it is not there, for the user alone.
    public func write(_ bytes: [UInt8], at offset: Int64) async throws(Failure) {
        try await Self.run { () throws(Failure) in
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure() }
            defer { close(file) }
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                    return pwrite(file, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure() }
                written += count
            }
        }
    }

    private func failure() -> Failure {
        errno == ENOENT ? .notFound(path) : .notAvailable(path, errno: errno)
    }

    /// Runs what may wait for a disk on a thread that may.
    public static func waiting<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value { try await pool.run(body) }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure>? = try? await pool.run {
            do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
        }
        // The pool of the process never ends, so there is always an outcome.
        guard let outcome else { throw .notAvailable("", errno: ECANCELED) }
        return try outcome.get()
    }
}
