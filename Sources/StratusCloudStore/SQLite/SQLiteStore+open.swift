import StratusCSQLite

extension SQLiteStore {
    static func connect(_ path: String, _ options: Options, cacheSize: Int) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, fileSystem: options.fileSystem)
        connection.enableDefensive()
        // Before anything is read: a page of a new file must have room for its checksum.
        try connection.reserve(PageChecksum.size)
        try connection.execute(
            """
            PRAGMA busy_timeout = \(SQLiteLimits.patience);
            PRAGMA page_size = \(PageChecksum.pageSize);
            PRAGMA cache_size = -\(cacheSize);
            PRAGMA temp_store = MEMORY;
            PRAGMA mmap_size = 0;
            PRAGMA trusted_schema = OFF;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = \(SQLiteLimits.logSize);
            """)
        return connection
    }

    /// Makes the file ready for use by the writer's connection.
    static func prepareFile(_ connection: SQLiteConnection, _ options: Options) throws(StoreError) {
        guard !connection.isReadOnly else { throw StoreError(.readOnly, "the database file cannot be written") }
        // First of all, because the next lines change the file.
        try Migration.check(options.migrations, on: connection)
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(.ioFailure, "the file system has no shared memory, which the write-ahead log needs")
        }
        if let pages = options.maximumPages { try connection.execute("PRAGMA max_page_count = \(pages)") }
        if try Migration.run(options.migrations, on: connection) {
            // Into the file, so that a version that does not know the format finds it in the header.
            _ = try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        }
    }
}
