import StratusCSQLite

extension SQLiteConnection {
    /// Replaces the contents of another database by those of this one, in one transaction of the other.
    public func copyContents(to destination: SQLiteConnection) throws {
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw destination.failure(sqlite3_errcode(destination.handle), while: "copying a database")
        }
        let status = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard status == SQLITE_DONE, end == SQLITE_OK else {
            throw destination.failure(end == SQLITE_OK ? status : end, while: "copying a database")
        }
    }

    /// The file of the database; nil for one in memory.
    public var path: String? {
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Whether the file can only be read.
    public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Keeps other connections from the database until this one closes.
    /// - Throws: An error with the code ``SQLiteError/Code/busy`` if another connection is open.
    public func excludeOthers() throws {
        try execute("PRAGMA locking_mode = EXCLUSIVE")
        try execute("BEGIN EXCLUSIVE")
        try execute("COMMIT")
    }
}
