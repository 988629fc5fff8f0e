import Glibc
import StratusCFiles
import StratusWorkers

/// A file that is being written.
final class FolderWriter: AssetWriter {
    /// Bytes after which the kernel is asked to begin writing, so that the sync at the end finds little left to do.
    private static let flushInterval: Int64 = 8 * 1_048_576

    /// Bytes written with one call. Linux takes memory for its copy in blocks as large as the call, and those up to 64 KiB
    /// are mostly at hand: a call of 256 KiB took several times as long.
    private static let writeSize = 65_536

    private struct Position {
        var written: Int64
        var flushed: Int64
        var failure: AssetStoreError?
    }

    private let descriptor: Int32
    private let path: FolderPath
    /// One task writes at a time, so nobody ever waits for this.
    private let position: Lock<Position>

    init(_ path: FolderPath, from offset: Int64) throws(AssetStoreError) {
        self.path = path
        position = Lock(Position(written: offset, flushed: offset))
        descriptor = try Self.open(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw AssetStoreError(system: errno, while: "locking \(path.file)")
        }
        let size = Int64(try status().st_size)
        guard size >= offset else {
            throw AssetStoreError(.missing, "\(path.file) has \(size) bytes, not \(offset)")
        }
        guard size > 0 else { return }
        guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset)
        else { throw AssetStoreError(system: errno, while: "truncating \(path.file)") }
    }

    /// Opens the file, which does not exist as a rule. The directories exist after the first files.
    private static func open(_ path: FolderPath) throws(AssetStoreError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        var descriptor = Glibc.open(path.file, flags, 0o600)
        if descriptor < 0, errno == ENOENT {
            try path.makeDirectories()
            descriptor = Glibc.open(path.file, flags, 0o600)
        }
        guard descriptor >= 0 else { throw AssetStoreError(system: errno, while: "opening \(path.file)") }
        return descriptor
    }

    private func status() throws(AssetStoreError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw AssetStoreError(system: errno, while: "reading the status of \(path.file)")
        }
        return status
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing is not enough where a child of the process has the descriptor, too, until it runs its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    func append(_ bytes: [UInt8]) async throws(AssetStoreError) { try appendHere(bytes) }

    func synchronize() async throws(AssetStoreError) -> AssetStamp? {
        try checkFailure()
        do throws(AssetStoreError) {
            guard fdatasync(descriptor) == 0 else {
                throw AssetStoreError(system: errno, while: "syncing \(path.file)")
            }
            try FolderPath.synchronize(path.directory)
            return AssetStamp(try status())
        } catch {
            // What a failed sync lost is not found out by a second one.
            position.withLock { $0.failure = error }
            throw error
        }
    }

    private func appendHere(_ bytes: [UInt8]) throws(AssetStoreError) {
        try checkFailure()
        var written = 0
        while written < bytes.count {
            let size = min(Self.writeSize, bytes.count - written)
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, size)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw AssetStoreError(system: errno, while: "writing \(path.file)")
            }
        }
        let (start, end) = position.withLock { position in
            position.written += Int64(written)
            return (position.flushed, position.written)
        }
        guard end - start >= Self.flushInterval else { return }
        // If it fails, the sync at the end tells. The bytes stay in memory for whoever fetches the asset next.
        files_begin_writing(descriptor, off_t(start), off_t(end - start))
        position.withLock { $0.flushed = end }
    }

    private func checkFailure() throws(AssetStoreError) {
        if let failure = position.withLock({ $0.failure }) { throw failure }
    }
}
