import Glibc
import StratusCloudCrypto
import StratusCloudStore

/// Puts chunks into a backup directory. They are made durable many at a time, and have their names only then: a name never
/// stands for bytes that a power cut took. Used by one thread.
final class ChunkWriter {
    private let directory: BackupDirectory
    private var waiting: Set<String> = []
    /// Bytes that were not there before.
    private(set) var newBytes: Int64 = 0

    /// Removes what an earlier backup left on its way.
    init(_ directory: BackupDirectory) throws(StoreError) {
        self.directory = directory
        for name in try BackupDirectory.names(in: directory.incoming) { unlink("\(directory.incoming)/\(name)") }
    }

    /// Gives back the room that a failed backup took for what no snapshot has.
    deinit {
        for digest in waiting { unlink("\(directory.incoming)/\(digest)") }
    }

    /// Adds bytes unless they are there.
    /// - Returns: the chunk's name.
    func add(_ bytes: [UInt8]) throws(StoreError) -> String {
        let digest = Hex.encode(SHA256.hash(bytes))
        if waiting.contains(digest) || access(directory.chunk(digest), F_OK) == 0 { return digest }
        try FileBytes.write(bytes, to: "\(directory.incoming)/\(digest)")
        waiting.insert(digest)
        newBytes += Int64(bytes.count)
        if waiting.count >= BackupFormat.chunksAtOnce { try settle() }
        return digest
    }

    /// Whether a chunk that a snapshot names is there.
    func contains(_ digest: String) -> Bool { access(directory.chunk(digest), F_OK) == 0 }

    /// Makes durable what was added, and gives it its names, which a later sync makes durable.
    func settle() throws(StoreError) {
        guard !waiting.isEmpty else { return }
        try directory.synchronize()
        for digest in waiting {
            let folder = directory.chunkFolder(digest)
            if mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw StoreError(system: errno, while: "creating \(folder)")
            }
            guard rename("\(directory.incoming)/\(digest)", directory.chunk(digest)) == 0 else {
                throw StoreError(system: errno, while: "creating \(directory.chunk(digest))")
            }
        }
        waiting = []
    }
}
