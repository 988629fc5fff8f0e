import StratusCSQLite

/// A connection to a database file.
///
/// Used by one thread at a time: its owner sees to that, with a lock, a queue or an actor.
public final class SQLiteConnection {
    let handle: OpaquePointer
    /// How many transactions of this connection are around each other.
    private var depth = 0

    /// Opens the file, and creates it if need be.
    /// - Parameters:
    ///   - isUnchanging: Whether nobody changes the file while it is read. Then nothing is locked, and no files are made
    ///     beside it. Only for files that are read.
    ///   - busyTimeout: How long to wait while another connection writes.
    public init(
        path: String, isReadOnly: Bool = false, isUnchanging: Bool = false, busyTimeout: Duration = .seconds(10)
    ) throws {
        var opened: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let status = sqlite3_open_v2(
            isUnchanging ? Self.address(ofUnchanging: path) : path, &opened,
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isUnchanging ? SQLITE_OPEN_URI : 0), nil)
        guard let opened else { throw SQLiteError(.inputOutput, "no memory to open \(path)") }
        handle = opened
        guard status == SQLITE_OK else { throw failure(status, while: "opening \(path)") }
        // First of all: what follows may meet another connection.
        let milliseconds =
            busyTimeout.components.seconds * 1_000
            + busyTimeout.components.attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
        _ = stratus_sqlite3_enable_defensive(handle)
    }

    // Statements that are still there are finalized later, and the connection closes with the last of them.
    deinit { sqlite3_close_v2(handle) }

    /// The address of a file with what only addresses can say of it.
    private static func address(ofUnchanging path: String) -> String {
        let special: [Character: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:" + path.map { special[$0] ?? String($0) }.joined() + "?immutable=1"
    }

    /// Prepares a statement that is kept.
    public func prepare(_ sql: String) throws -> SQLiteStatement {
        var prepared: OpaquePointer?
        let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard status == SQLITE_OK else { throw failure(status, while: "preparing \(sql)") }
        guard let prepared else { throw SQLiteError(.misuse, "there is no statement in: \(sql)") }
        return SQLiteStatement(prepared, sql, on: self)
    }

    /// Runs statements without parameters and results.
    public func execute(_ sql: String) throws {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure(status, while: sql) }
    }

    /// Runs `body` in a transaction that writes. If it throws, nothing was changed. A transaction in another one can be
    /// undone alone.
    public func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        let (begin, commit, undo) =
            depth == 0
            ? ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
            : ("SAVEPOINT s\(depth)", "RELEASE s\(depth)", "ROLLBACK TO s\(depth); RELEASE s\(depth)")
        try execute(begin)
        depth += 1
        defer { depth -= 1 }
        do {
            let value = try body()
            try execute(commit)
            return value
        } catch {
            // After some errors, such as a full disk, SQLite has undone the whole transaction already.
            if isInTransaction { try execute(undo) }
            throw error
        }
    }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
    /// Rows that the last statement inserted, changed or deleted.
    public var changes: Int { Int(sqlite3_changes(handle)) }
    /// The number of the row that was inserted last.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    func failure(_ status: Int32, while action: String) -> SQLiteError {
        SQLiteError(status: status, of: handle, while: action)
    }
}
