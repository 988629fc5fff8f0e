import Glibc
import StratusCloudCrypto
import StratusCloudStore

/// Writes one snapshot. Files are added in ascending order of their paths' bytes. Blocks; used by one thread.
public final class BackupWriter {
    private let directory: BackupDirectory
    private let lock: BackupLock
    private let chunks: ChunkWriter
    private let snapshot: SnapshotWriter
    /// The snapshot before, as far as it can be read: it only saves work.
    private var former: SnapshotReader?
    private var formerFile: SnapshotFile?
    private var last = ""
    private var damaged: [String] = []
    private var damagedCount = 0

    /// Begins a snapshot.
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError``; `.locked` while another backup writes into the directory.
    public init(_ directory: BackupDirectory, time: Int64) throws(StoreError) {
        self.directory = directory
        lock = try BackupLock(directory)
        chunks = try ChunkWriter(directory)
        let latest = try directory.snapshotNames().last
        let number = (latest.flatMap { Int($0.prefix { $0 != "-" }) } ?? 0) + 1
        snapshot = try SnapshotWriter(
            SnapshotHeader(stratusBackup: BackupFormat.version, number: number, time: time), in: directory)
        do throws(StoreError) {
            former = try latest.map { name throws(StoreError) in try SnapshotReader(path: directory.snapshot(name)) }
        } catch {
            // All is read again then; 'stratus verify --backup' tells of the damage.
            former = nil
        }
        formerFile = nextFormerFile()
    }

    private func nextFormerFile() -> SnapshotFile? {
        do throws(StoreError) {
            return try former?.next()
        } catch {
            former = nil
            return nil
        }
    }

    /// Tells whether a file has the bytes that it should have, given their SHA-256; nil if nobody knows.
    public typealias Check = (_ sha256: [UInt8]) -> Bool?

    /// Adds a file. One that has not changed since the snapshot before is not read; one that has gone is left out.
    ///
    /// In the place of a file that is damaged, the snapshot has the bytes that the one before has, if they are right.
    /// It is read again by the next backup, and so is one of which `check` knows nothing.
    /// - Parameter check: compares what is read.
    public func add(_ file: StoreFile, check: Check? = nil) throws(StoreError) {
        guard last < file.path else { throw StoreError(.ioFailure, "\(file.path) was added behind \(last)") }
        last = file.path
        switch file.content {
        case .bytes(let bytes):
            var names: [String] = []
            for start in stride(from: 0, to: bytes.count, by: BackupFormat.chunkSize) {
                names.append(try chunks.add(Array(bytes[start..<min(start + BackupFormat.chunkSize, bytes.count)])))
            }
            try snapshot.add(SnapshotFile(path: file.path, size: Int64(bytes.count), chunks: names))
        case .file(let source):
            let descriptor = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else {
                if errno == ENOENT { return }
                throw StoreError(system: errno, while: "opening \(source)")
            }
            defer { close(descriptor) }
            try addFile(file.path, descriptor, source, check)
        }
    }

    /// Completes the snapshot, and removes older ones beyond `kept`.
    public func finish(keeping kept: Int) throws(StoreError) -> BackupSummary {
        try chunks.settle()
        try snapshot.finish(in: directory)
        return BackupSummary(
            snapshot: snapshot.name, files: snapshot.files, bytes: snapshot.bytes, newBytes: chunks.newBytes,
            removed: try directory.prune(keeping: kept), damaged: damaged, damagedCount: damagedCount)
    }

    private func addFile(
        _ path: String, _ descriptor: Int32, _ source: String, _ check: Check?
    ) throws(StoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(system: errno, while: "reading \(source)") }
        let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        if let known = formerFile(path), known.size == Int64(status.st_size), known.modified == modified,
            known.inode == UInt64(status.st_ino), known.chunks.allSatisfy(chunks.contains)
        {
            return try snapshot.add(known)
        }
        var file = SnapshotFile(
            path: path, size: 0, modified: modified, inode: UInt64(status.st_ino), chunks: [])
        var hash = SHA256()
        while true {
            let bytes = try FileBytes.piece(of: descriptor, size: BackupFormat.chunkSize, source)
            if bytes.isEmpty { break }
            if check != nil { hash.update(bytes) }
            file.chunks.append(try chunks.add(bytes))
            file.size += Int64(bytes.count)
            if bytes.count < BackupFormat.chunkSize { break }
        }
        // What grew meanwhile is read again the next time.
        if file.size != Int64(status.st_size) { file.modified = nil }
        if let check {
            switch check(hash.digest()) {
            case true?: break
            case false?:
                damagedCount += 1
                if damaged.count < BackupFormat.namedDamage { damaged.append(path) }
                if let known = formerFile(path), isRight(known, check) { return try snapshot.add(known) }
                file.modified = nil
            case nil: file.modified = nil
            }
        }
        try snapshot.add(file)
    }

    /// Whether the chunks of a file of the snapshot before are there and hold what the file should have.
    private func isRight(_ file: SnapshotFile, _ check: Check) -> Bool {
        var hash = SHA256()
        do throws(StoreError) {
            for digest in file.chunks {
                hash.update(try FileBytes.read(directory.chunk(digest), limit: BackupFormat.chunkSize))
            }
        } catch {
            return false
        }
        return check(hash.digest()) == true
    }

    /// The file of the former snapshot at a path; it and those before it are not asked for again.
    private func formerFile(_ path: String) -> SnapshotFile? {
        while let file = formerFile, file.path < path { formerFile = nextFormerFile() }
        return formerFile?.path == path ? formerFile : nil
    }
}
