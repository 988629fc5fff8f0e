import StratusCSQLite

/// A prepared statement. After use it is reset, by reading to the end or by ``reset()``.
///
/// Blobs are bound without a copy: the caller keeps them alive until the statement is reset.
final class SQLiteStatement {
    private let handle: OpaquePointer
    /// Alive as long as its statements; unowned would leave them dangling when a connection is dropped.
    private let connection: SQLiteConnection

    init(_ handle: OpaquePointer, on connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        // A null pointer would bind NULL instead of an empty blob.
        if let start = bytes.baseAddress, !bytes.isEmpty {
            check(stratus_sqlite3_bind_blob_static(handle, index, start, Int32(bytes.count)))
        } else {
            check(sqlite3_bind_zeroblob(handle, index, 0))
        }
    }

    func bind(_ index: Int32, _ integer: Int64) { check(sqlite3_bind_int64(handle, index, integer)) }
    func bindNull(_ index: Int32) { check(sqlite3_bind_null(handle, index)) }

    /// Steps to the next row; at the end resets itself.
    /// - Returns: Whether there is a row.
    func next() throws(StoreError) -> Bool {
        let status = sqlite3_step(handle)
        if status == SQLITE_ROW { return true }
        guard status == SQLITE_DONE else {
            let failure = connection.failure(status, while: String(cString: sqlite3_sql(handle)))
            sqlite3_reset(handle)
            throw failure
        }
        sqlite3_reset(handle)
        return false
    }

    /// Runs a statement that gives no rows.
    func run() throws(StoreError) {
        while try next() {}
    }

    func reset() { sqlite3_reset(handle) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of a column, without its first `skipped` ones.
    func bytes(_ column: Int32, dropping skipped: Int = 0) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count).dropFirst(skipped))
    }

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func check(_ status: Int32) {
        precondition(status == SQLITE_OK, "a statement was bound while it ran, or has no such parameter")
    }
}
