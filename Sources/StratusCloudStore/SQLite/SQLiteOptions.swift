import StratusWorkers

extension SQLiteStore {
    /// What may be set when a store is opened. The defaults use at most 40 MiB for pages.
    public struct Options: Sendable {
        /// KiB of pages that the writer keeps in memory.
        public var writerCacheSize = 16 * 1_024
        /// KiB of pages that each reader keeps in memory; all of them together keep 24 MiB.
        public var readerCacheSize = SQLiteLimits.readerCacheSizes / SQLiteLimits.defaultReaders
        /// Readers at the same time; further ones wait.
        public var readers = SQLiteLimits.defaultReaders
        /// Pages in the log from which on they are copied into the file: more make fewer, longer checkpoints.
        public var checkpointPages = 2_000
        /// Pages that the file may have, nil for as many as the disk has room for. A quota for the whole store.
        public var maximumPages: Int?

        /// The VFS below; tests put faults there.
        var fileSystem = CheckedFileSystem.name
        /// The steps that make the schema; tests add some.
        var migrations = Migration.all

        /// The defaults.
        public init() {}
    }
}

/// Limits inside the engine.
enum SQLiteLimits {
    /// Values up to this many bytes lie in the tree of the keys, larger ones in a table of their own. Measured with
    /// random keys in batches of 200: apart costs less time from 150 bytes on, a quarter less at 600.
    static let inlineValueSize = 100
    /// Transactions that are made durable together.
    static let groupCount = 256
    /// Bytes written by a group from which on it takes no further transaction.
    static let groupSize = 16 * 1_048_576
    /// Bytes to which the log is cut when it begins anew.
    static let logSize = 64 * 1_048_576
    /// Milliseconds to wait for a lock on the file, which only a tool beside the store can hold.
    static let patience = 5_000
    /// How far beyond the length at which copying it begins the log may grow, before the writer copies it itself.
    static let logFactor = 4
    /// KiB of pages that the connection for copying the log keeps.
    static let checkpointerCacheSize = 64
    /// KiB of pages that readers keep by default, together. Four times as much cost a page of 200 random records out of
    /// 1,000,000 a tenth more CPU: the file does not fit either, and the system keeps its pages anyway.
    static let readerCacheSizes = 24 * 1_024
    /// Two for each core, but no more than ``mostDefaultReaders``: half for long queries, half for quick reads. More at
    /// a time cost a page of 200 records up to half as much CPU again, for what they do to each other's caches.
    static let defaultReaders = min(2 * max(2, Processors.count), mostDefaultReaders)
    /// Enough for each to keep the pages that lead to the others.
    static let mostDefaultReaders = 16
    /// Threads that read for callers on threads that must not block.
    static let readerThreads = 4
}
