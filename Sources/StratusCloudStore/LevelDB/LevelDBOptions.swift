import StratusCLevelDB

extension LevelDBStore {
    /// What may be set when a store is opened. The defaults use at most 110 MiB.
    public struct Options: Sendable {
        /// Bytes that are collected in memory, and in the log, before they are written as a sorted table. Twice as much
        /// is in memory while that goes on.
        public var writeBufferSize = 16 * 1_048_576
        /// Bytes of tables that are kept in memory.
        public var cacheSize = 16 * 1_048_576
        /// Tables that are kept open, each with an index and a filter of up to some 100 KiB in memory.
        public var openTables = 400
        /// Bytes in a table.
        public var tableSize = 4 * 1_048_576
        /// Bytes of a table that are read, and checked, for one key. Rows of 256 bytes and more, which nobody reads on from,
        /// have blocks of 1 KiB or one row, whatever this says.
        public var blockSize = 4_096

        /// Kinds of rows of which new tables have no filter; tests make tables as earlier versions did.
        var unfilteredKinds = RowKind.readInRanges
        /// The format that a directory is brought to; tests add steps.
        var migrations = LevelDBMigration.all
        /// Nil, or called before something is done with a file; a number other than 0 is the system's error for it.
        var fault: (@Sendable (LevelDBOperation, String) -> Int32)?

        /// The defaults.
        public init() {}
    }
}

/// What is about to be done with a file.
enum LevelDBOperation: Int32, Sendable {
    case create, append, sync, read, extend
}

/// Limits inside the engine.
enum LevelDBLimits {
    /// Transactions that are made durable together.
    static let groupCount = 256
    /// Bytes written by a group from which on it takes no further transaction. What a group writes is sorted, written and
    /// answered before it falls out of the processor's caches.
    static let groupSize = 1_048_576
    /// Bytes of a batch up to which its memory is kept for the next one.
    static let keptBatchSize = 2 * groupSize
    /// Entries of a range from which on reading it does not fill the cache.
    static let scanLength = 10_000
    /// Bytes that must be free, beside the size of the log, before the store is opened again after a full disk.
    static let spareRoom: UInt64 = 4 * 1_048_576
    /// Threads that read for callers on threads that must not block.
    static let readerThreads = 4
}
