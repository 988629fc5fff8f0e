import Glibc
import StratusCSQLite

extension SQLiteError {
    /// The error of a status that a call on a connection returned.
    init(status: Int32, of handle: OpaquePointer, while action: String) {
        let systemError = sqlite3_system_errno(handle)
        var text = "\(String(cString: sqlite3_errmsg(handle))) (\(status)) in: \(action)"
        // For other failures it is the error of some earlier call.
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(status & 0xFF)
        if isOfSystem, systemError != 0 { text += "; \(String(cString: strerror(systemError)))" }
        let code: Code =
            switch status & 0xFF {
            case SQLITE_FULL: .diskFull
            case SQLITE_IOERR, SQLITE_CANTOPEN:
                isOfSystem && (systemError == ENOSPC || systemError == EDQUOT) ? .diskFull : .inputOutput
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupted
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_NOMEM: .inputOutput
            default: .misuse
            }
        self.init(code, status: status, text)
    }
}
