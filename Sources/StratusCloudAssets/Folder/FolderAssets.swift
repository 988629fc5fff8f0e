import Glibc
import StratusWorkers

/// Asset bytes as files of a directory: `owner/first byte/name`, all hexadecimal, so that no name from outside is ever
/// part of a path.
public final class FolderAssets: AssetStore {
    /// Bytes of the disk that uploads leave free by default, for the records beside them: 256 MiB.
    public static let reservedSpace: Int64 = 256 * 1_048_576
    /// For callers on Swift's own threads, which must not block.
    private static let threads = WorkerPool(threads: 2)

    private let root: String
    private let reservedSpace: Int64

    /// Opens or makes the directory, for its owner only (mode 0700). Blocks.
    /// - Parameter reservedSpace: bytes of the disk that uploads leave free.
    public init(directory: String, reservedSpace: Int64 = FolderAssets.reservedSpace) throws(AssetStoreError) {
        root = directory
        self.reservedSpace = reservedSpace
        try FolderPath.makeDirectory(directory)
    }

    /// See ``AssetStore/write(_:of:from:expecting:)``. A file that somebody else is writing is refused.
    public func write(
        _ file: AssetFileID, of owner: AssetOwner, from offset: Int64, expecting: Int64?
    ) async throws(AssetStoreError) -> any AssetWriter {
        try await blocking { () throws(AssetStoreError) in
            try self.checkSpace(for: expecting ?? 0)
            return try FolderWriter(self.path(of: file, owner), from: offset)
        }
    }

    /// See ``AssetStore/content(of:of:)``.
    public func content(of file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> AssetContent {
        try await blocking { () throws(AssetStoreError) in
            let path = self.path(of: file, owner).file
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw AssetStoreError(system: errno, while: "opening \(path)") }
            let file = AssetFile(owning: descriptor)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                throw AssetStoreError(system: errno, while: "reading the status of \(path)")
            }
            return AssetContent(.file(file), size: Int64(status.st_size), stamp: AssetStamp(status))
        }
    }

    /// See ``AssetStore/remove(_:of:)``.
    public func remove(_ files: [AssetFileID], of owner: AssetOwner) async throws(AssetStoreError) {
        try await blocking { () throws(AssetStoreError) in
            var directories: Set<String> = []
            for file in files {
                let path = self.path(of: file, owner)
                if unlink(path.file) == 0 {
                    directories.insert(path.directory)
                } else if errno != ENOENT {
                    throw AssetStoreError(system: errno, while: "removing \(path.file)")
                }
            }
            for directory in directories { try FolderPath.synchronize(directory) }
        }
    }

    /// See ``AssetStore/contains(_:of:)``.
    public func contains(_ file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> Bool {
        try await blocking { () throws(AssetStoreError) in access(self.path(of: file, owner).file, F_OK) == 0 }
    }

    private func path(of file: AssetFileID, _ owner: AssetOwner) -> FolderPath {
        FolderPath(root: root, owner: owner, file: file)
    }

    private func checkSpace(for bytes: Int64) throws(AssetStoreError) {
        var status = statvfs()
        guard statvfs(root, &status) == 0 else {
            throw AssetStoreError(system: errno, while: "reading the status of \(root)")
        }
        let free = Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
        guard free - reservedSpace >= bytes else {
            throw AssetStoreError(
                .diskFull, "\(root): \(free) bytes are free, \(reservedSpace) are kept, \(bytes) are to come")
        }
    }

    private func blocking<Result: Sendable>(
        _ body: @escaping @Sendable () throws(AssetStoreError) -> Result
    ) async throws(AssetStoreError) -> Result {
        if WorkerPool.isCurrentThread { return try body() }
        do {
            return try await Self.threads.run(body)
        } catch let error as AssetStoreError {
            throw error
        } catch {
            throw AssetStoreError(.ioFailure, "\(error)")
        }
    }
}
