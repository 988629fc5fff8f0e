import StratusCSQLite

/// A connection of SQLite, as bare as it can be.
final class Database {
    private let handle: OpaquePointer

    init(_ path: String, flags: Int32) throws {
        var opened: OpaquePointer?
        let status = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw BenchmarkError("no memory to open \(path)") }
        handle = opened
        guard status == SQLITE_OK else { throw failure }
        sqlite3_busy_timeout(handle, 5_000)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var prepared: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard status == SQLITE_OK, let prepared else { throw failure }
        return prepared
    }

    func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw failure }
        return sqlite3_column_int64(statement, 0)
    }

    /// Runs a statement that gives no rows, and makes it ready to be run again.
    func run(_ statement: OpaquePointer) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
        sqlite3_reset(statement)
    }

    static func blob(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    private var failure: BenchmarkError { BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle)))") }
}
