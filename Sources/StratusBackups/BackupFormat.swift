/// The numbers of a backup directory.
///
/// ```
/// format                          "stratus backup 1"
/// snapshots/000001-….jsonl        the files of one moment, each as a list of chunks
/// chunks/ab/abcdef…               bytes, under their SHA-256; never changed
/// incoming/                       chunks of a backup under way
/// lock                            held by who changes the directory
/// ```
public enum BackupFormat {
    /// What this version writes, and the highest that it reads.
    public static let version = 1
    /// Bytes of a chunk, except the last of a file: as many as LevelDB's tables have, so that one is a chunk.
    static let chunkSize = 4 * 1_048_576
    /// Chunks that are made durable together.
    static let chunksAtOnce = 256
    /// Bytes of a line of a snapshot: the chunks of an asset of a tebibyte.
    static let lineSize = 32 * 1_048_576
    /// Damaged files that a backup names; others are only counted.
    public static let namedDamage = 100
    /// Snapshots that a directory may keep.
    public static let keptRange = 1...10_000
    /// Snapshots that a directory keeps unless told otherwise.
    public static let kept = 7
    /// How the line begins that says what a directory is.
    static let label = "stratus backup "
}

/// The first line of a snapshot.
struct SnapshotHeader: Codable, Hashable {
    /// ``BackupFormat/version``.
    var stratusBackup: Int
    /// One more than that of the snapshot before.
    var number: Int
    /// Milliseconds since 1970-01-01 UTC.
    var time: Int64
}

/// A file of a snapshot.
struct SnapshotFile: Codable, Hashable {
    /// From the data directory on.
    var path: String
    var size: Int64
    /// The file's modification in nanoseconds, and its number, to know it again; nil for what is read each time.
    var modified: Int64?
    var inode: UInt64?
    /// SHA-256 of the chunks, in hexadecimal.
    var chunks: [String]
}

/// The last line of a snapshot, without which it does not count.
struct SnapshotEnd: Codable, Hashable {
    var files: Int
    var bytes: Int64
    /// Of all lines before, in hexadecimal.
    var sha256: String
}

/// What a backup did.
public struct BackupSummary: Codable, Hashable, Sendable {
    /// The snapshot's name.
    public var snapshot: String
    /// Files in it.
    public var files: Int
    /// Their bytes.
    public var bytes: Int64
    /// Bytes that were not in the directory before.
    public var newBytes: Int64
    /// Snapshots that were removed because newer ones are kept.
    public var removed: [String]
    /// Files that are not what they should be, the first of them.
    public var damaged: [String]
    /// How many there are.
    public var damagedCount: Int

    /// What a backup did.
    public init(
        snapshot: String, files: Int, bytes: Int64, newBytes: Int64, removed: [String], damaged: [String] = [],
        damagedCount: Int = 0
    ) {
        self.snapshot = snapshot
        self.files = files
        self.bytes = bytes
        self.newBytes = newBytes
        self.removed = removed
        self.damaged = damaged
        self.damagedCount = damagedCount
    }
}
