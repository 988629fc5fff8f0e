import StratusCSQLite

/// Writes the rows that Stratus wrote, with nothing but SQLite's C functions on one thread.
enum BareLoop {
    /// - Parameter articles: As many as Stratus made in its round, and the same ones.
    /// - Returns: Seconds, and seconds of CPU time, without making the tables.
    static func write(
        _ articles: [StoredArticle], in directory: String
    ) throws -> (elapsed: Double, cpu: Double) {
        let database = try Database("\(directory)/bare.db", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        // As Stratus has them: page and cache size, and when the log is copied.
        try database.execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA cache_size = -16384;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 2000;
            CREATE TABLE payload (id INTEGER PRIMARY KEY, v BLOB NOT NULL);
            CREATE TABLE entry (k BLOB PRIMARY KEY NOT NULL, v BLOB, p INTEGER) WITHOUT ROWID;
            """)
        let statements = try Statements(database)
        let (start, startCPU) = (Clock.now(), Clock.processSeconds())
        var rest = articles[...]
        var identifier: Int64 = 0
        while !rest.isEmpty {
            try database.run(statements.begin)
            for article in rest.prefix(Settings.batch) {
                identifier += 1
                try write(article, identifier, statements, database)
            }
            try database.run(statements.commit)
            rest = rest.dropFirst(Settings.batch)
        }
        return (Clock.seconds(since: start), Clock.processSeconds() - startCPU)
    }

    private static func write(
        _ article: StoredArticle, _ identifier: Int64, _ statements: Statements, _ database: Database
    ) throws {
        sqlite3_bind_int64(statements.payload, 1, identifier)
        bind(statements.payload, 2, article.record)
        try database.run(statements.payload)
        bind(statements.entry, 1, article.recordKey)
        sqlite3_bind_null(statements.entry, 2)
        sqlite3_bind_int64(statements.entry, 3, identifier)
        try database.run(statements.entry)
        sqlite3_bind_null(statements.entry, 3)
        for (key, value) in article.entries {
            bind(statements.entry, 1, key)
            if let value { bind(statements.entry, 2, value) } else { sqlite3_bind_null(statements.entry, 2) }
            try database.run(statements.entry)
        }
    }

    private static func bind(_ statement: OpaquePointer, _ index: Int32, _ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            stratus_sqlite3_bind_blob_transient(statement, index, $0.baseAddress, Int32($0.count))
        }
    }

    /// Prepared once, used by one thread.
    private final class Statements {
        let begin, commit, entry, payload: OpaquePointer

        init(_ database: Database) throws {
            begin = try database.prepare("BEGIN IMMEDIATE")
            commit = try database.prepare("COMMIT")
            entry = try database.prepare("INSERT INTO entry (k, v, p) VALUES (?1, ?2, ?3)")
            payload = try database.prepare("INSERT INTO payload (id, v) VALUES (?1, ?2)")
        }

        deinit { for statement in [begin, commit, entry, payload] { sqlite3_finalize(statement) } }
    }
}
