import Glibc
import StratusCFiles
import StratusCloudCrypto
import StratusCloudStore

/// Reads one snapshot of a backup directory, and checks every byte of it. Blocks.
public struct BackupRestorer: Sendable {
    private let directory: BackupDirectory
    /// The snapshot's name.
    public let snapshot: String

    /// What a snapshot holds.
    public struct Content: Codable, Hashable, Sendable {
        /// Files.
        public var files = 0
        /// Their bytes.
        public var bytes: Int64 = 0
        /// Whether the key that seals tokens is among them.
        public var hasSecretKey = false
    }

    /// Chooses a snapshot of a directory: the newest unless one is named.
    /// - Throws: ``StoreError`` if there is none of that name.
    public init(_ directory: BackupDirectory, snapshot: String? = nil) throws(StoreError) {
        self.directory = directory
        let names = try directory.snapshotNames()
        guard let name = snapshot ?? names.last else {
            throw StoreError(.corrupted, "there is no complete backup in \(directory.path)")
        }
        guard names.contains(name) else {
            throw StoreError(.corrupted, "there is no backup '\(name)' in \(directory.path)")
        }
        self.snapshot = name
    }

    /// Reads all bytes and checks that they are those that were written.
    /// - Throws: ``StoreError/Code/corrupted`` with the first file that is damaged.
    public func verify() throws(StoreError) -> Content { try forEachFile { (_, _) throws(StoreError) in } }

    /// Writes the files into an empty directory, durably.
    public func restore(to target: String) throws(StoreError) -> Content {
        let content = try forEachFile { (file, write) throws(StoreError) in
            try Self.makeFolders(of: file.path, in: target)
            let path = "\(target)/\(file.path)"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw StoreError(system: errno, while: "creating \(path)") }
            defer { close(descriptor) }
            try write { (bytes) throws(StoreError) in try FileBytes.append(bytes, to: descriptor, path) }
        }
        let descriptor = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(target)") }
        defer { close(descriptor) }
        guard files_sync_all(descriptor) == 0 else { throw StoreError(system: errno, while: "syncing \(target)") }
        return content
    }

    private typealias Sink = ([UInt8]) throws(StoreError) -> Void

    /// Calls `body` with each file, and with what reads its chunks; those that it does not read are read all the same.
    private func forEachFile(
        _ body: (SnapshotFile, ((Sink) throws(StoreError) -> Void)) throws(StoreError) -> Void
    ) throws(StoreError) -> Content {
        let reader = try SnapshotReader(path: directory.snapshot(snapshot))
        var content = Content()
        while let file = try reader.next() {
            guard Self.isAllowed(file.path) else {
                throw StoreError(.corrupted, "the backup has an unexpected file '\(file.path)'")
            }
            var wasRead = false
            try body(file) { (sink) throws(StoreError) in
                wasRead = true
                try read(file, into: sink)
            }
            if !wasRead { try read(file) { (_) throws(StoreError) in } }
            content.files += 1
            content.bytes += file.size
            if file.path == "secret.key" { content.hasSecretKey = true }
        }
        return content
    }

    private func read(_ file: SnapshotFile, into sink: Sink) throws(StoreError) {
        var size: Int64 = 0
        for digest in file.chunks {
            guard Hex.decode(digest)?.count == SHA256.digestLength else {
                throw StoreError(.corrupted, "\(file.path) has an invalid checksum '\(digest.prefix(80))'")
            }
            let bytes: [UInt8]
            do throws(StoreError) {
                bytes = try FileBytes.read(directory.chunk(digest), limit: BackupFormat.chunkSize)
            } catch {
                throw StoreError(.corrupted, "\(file.path) cannot be restored: \(error.message)")
            }
            guard Hex.encode(SHA256.hash(bytes)) == digest else {
                throw StoreError(
                    .corrupted, "\(file.path) cannot be restored: \(directory.chunk(digest)) is damaged")
            }
            try sink(bytes)
            size += Int64(bytes.count)
        }
        guard size == file.size else {
            throw StoreError(.corrupted, "\(file.path) has \(size) bytes in the backup, not \(file.size)")
        }
    }

    /// What may be in a snapshot: files of a data directory, and nothing outside of it.
    private static func isAllowed(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.utf8.contains(0), parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return false }
        switch parts.count {
        case 1: return ["stratus.db", "secret.key", "vapid.key"].contains(path)
        case 2: return parts[0] == "stratus.leveldb"
        case 4: return parts[0] == "assets"
        default: return false
        }
    }

    private static func makeFolders(of path: String, in target: String) throws(StoreError) {
        var folder = target
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw StoreError(system: errno, while: "creating \(folder)")
            }
        }
    }
}
