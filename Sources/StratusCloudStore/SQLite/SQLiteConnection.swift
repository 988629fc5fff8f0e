import StratusCSQLite

/// A connection to the database file and the statements prepared on it.
///
/// `@unchecked Sendable`: it is opened without SQLite's own locks, and its owner hands it to one thread at a time.
final class SQLiteConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    /// Pages in the log after the last commit of this connection, once ``watchLog()`` was called.
    fileprivate(set) var pagesInLog = 0

    /// Opens or creates the file.
    /// - Parameter fileSystem: The name of the VFS to reach the file by.
    init(path: String, fileSystem: String) throws(StoreError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(path, &opened, flags, fileSystem)
        guard let opened else { throw StoreError(.ioFailure, "no memory to open \(path)") }
        handle = opened
        guard status == SQLITE_OK else { throw failure(status, while: "opening \(path)") }
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws(StoreError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure(status, while: sql) }
    }

    /// The first column of the first row as a number, nil if there is no row.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.next() ? statement.integer(0) : nil
    }

    /// The first column of the first row as text, nil if there is no row.
    func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try prepare(sql)
        return try statement.next() ? statement.text(0) : nil
    }

    /// A statement that is kept and used again and again.
    func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard status == SQLITE_OK, let prepared else { throw failure(status, while: "preparing \(sql)") }
        return SQLiteStatement(prepared, on: self)
    }

    /// Rows that the last statement inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes(handle)) }
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
    /// Whether the file could be opened for reading only.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Copies from the log into the file what no reader needs to see in the log, without waiting for anybody.
    /// - Returns: Frames in the log, and how many of them are in the file.
    func checkpoint(_ mode: Int32) throws(StoreError) -> (frames: Int, copied: Int) {
        var (frames, copied) = (Int32(0), Int32(0))
        let status = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied)
        guard status == SQLITE_OK || status == SQLITE_BUSY else { throw failure(status, while: "checkpoint") }
        return (Int(frames), Int(copied))
    }

    /// Copies everything, as of one moment, to an empty file that the other connection has open.
    func copy(to other: SQLiteConnection) throws(StoreError) {
        guard let copying = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.failure(sqlite3_errcode(other.handle), while: "beginning a copy")
        }
        // In one step, because a commit between two makes it begin anew.
        let status = sqlite3_backup_step(copying, -1)
        let end = sqlite3_backup_finish(copying)
        guard status == SQLITE_DONE, end == SQLITE_OK else {
            throw other.failure(end == SQLITE_OK ? status : end, while: "copying")
        }
    }

    /// Leaves bytes at the end of every page of a new file unused.
    func reserve(_ bytes: Int) throws(StoreError) {
        var bytes = Int32(bytes)
        let status = sqlite3_file_control(handle, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
        guard status == SQLITE_OK else { throw failure(status, while: "reserving room for checksums") }
    }

    /// Keeps ``pagesInLog`` up to date. Replaces SQLite's own automatic checkpoints.
    func watchLog() {
        // The connection closes in `deinit`, so the hook never outlives the object.
        sqlite3_wal_hook(handle, noteLog, Unmanaged.passUnretained(self).toOpaque())
    }

    func disableCheckpointOnClose() { _ = stratus_sqlite3_disable_checkpoint_on_close(handle) }
    func enableDefensive() { _ = stratus_sqlite3_enable_defensive(handle) }

    func failure(_ status: Int32, while action: String) -> StoreError {
        let detail = String(cString: sqlite3_errmsg(handle))
        return StoreError(sqlite: status, systemError: sqlite3_system_errno(handle), detail: detail, while: action)
    }
}

private func noteLog(
    _ context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, _ pages: Int32
) -> Int32 {
    guard let context else { return SQLITE_OK }
    Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().pagesInLog = Int(pages)
    return SQLITE_OK
}
