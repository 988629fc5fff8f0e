import Glibc
import StratusCSQLite

extension StoreError {
    /// What a status of SQLite means for the store.
    init(sqlite status: Int32, systemError: Int32, detail: String, while action: String) {
        if status == SQLiteStatus.badChecksum {
            self.init(.corrupted, "a page of the database file does not match its checksum, found in: \(action)")
            return
        }
        var message = "SQLite reports \"\(detail)\" (\(status)) in: \(action)"
        // For other failures it is the error of some earlier call.
        let isSystems = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(status & 0xFF)
        if isSystems, systemError != 0 {
            message += "; system error \(systemError): \(String(cString: strerror(systemError)))"
        }
        self.init(Self.code(sqlite: status, systemError: systemError), message)
    }

    private static func code(sqlite status: Int32, systemError: Int32) -> Code {
        if status == SQLiteStatus.badFileSystem { return .corrupted }
        switch status & 0xFF {
        case SQLITE_FULL: return .diskFull
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupted
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked
        case SQLITE_TOOBIG: return .tooLarge
        case SQLITE_IOERR, SQLITE_CANTOPEN: return code(systemError: systemError)
        default: return .ioFailure
        }
    }
}

/// Extended status codes, which SQLite's header gives as expressions that Swift does not import.
enum SQLiteStatus {
    /// SQLITE_IOERR_DATA: the checksum of a page is wrong.
    static let badChecksum: Int32 = SQLITE_IOERR | (32 << 8)
    /// SQLITE_IOERR_CORRUPTFS: the file system says that it is damaged.
    static let badFileSystem: Int32 = SQLITE_IOERR | (33 << 8)
    /// SQLITE_IOERR_SHORT_READ: the file ends before.
    static let shortRead: Int32 = SQLITE_IOERR | (2 << 8)
}
