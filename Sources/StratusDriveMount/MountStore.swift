import Foundation
import StratusCSQLite
import StratusCloudKit
import StratusWorkers

/// What the mount knows of all items, kept on disk, so that it starts at once and without the server.
///
/// All functions block.
final class MountStore: Sendable {
    /// `@unchecked Sendable`: the value exists only inside `Lock<Database>`, so pointer and token are used by one thread at
    /// a time, and SQLite allows a connection to move between threads.
    private struct Database: @unchecked Sendable {
        var pointer: OpaquePointer
        var token: CKServerChangeToken?
    }

    private let database: Lock<Database>
    private let path: String

    init(_ path: String) throws(SystemError) {
        self.path = path
        var pointer: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        guard sqlite3_open_v2(path, &pointer, flags, nil) == SQLITE_OK, let pointer else {
            sqlite3_close(pointer)
            throw SystemError(EIO)
        }
        database = Lock(Database(pointer: pointer))
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = FULL")
        try run("CREATE TABLE IF NOT EXISTS items (id BLOB PRIMARY KEY, item BLOB NOT NULL) WITHOUT ROWID")
        try run("CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        try database.withLock { database throws(SystemError) in
            try Self.rows(database.pointer, "SELECT value FROM state WHERE name = 'token'") { value in
                database.token = try? NSKeyedUnarchiver.unarchivedObject(
                    ofClass: CKServerChangeToken.self, from: value)
            }
        }
    }

    deinit { database.withLock { _ = sqlite3_close($0.pointer) } }

    /// How far the changes of the server were fetched; nil before the first listing.
    var token: CKServerChangeToken? { database.withLock { $0.token } }

    func setToken(_ token: CKServerChangeToken?) throws(SystemError) {
        let data: Data?
        do {
            data = try token.map { try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }
        } catch {
            throw SystemError(EIO)
        }
        try database.withLock { database throws(SystemError) in
            if let data {
                try Self.run(database.pointer, "INSERT OR REPLACE INTO state VALUES ('token', ?2)", "", data)
            } else {
                try Self.run(database.pointer, "DELETE FROM state WHERE name = 'token'")
            }
            database.token = token
        }
    }

    /// All items. One that this version cannot read is fetched again with the others.
    func items() throws(SystemError) -> [MountedItem] {
        let decoder = JSONDecoder()
        var items: [MountedItem] = []
        var areAllRead = true
        try database.withLock { database throws(SystemError) in
            try Self.rows(database.pointer, "SELECT item FROM items") { data in
                if let item = try? decoder.decode(MountedItem.self, from: data) {
                    items.append(item)
                } else {
                    areAllRead = false
                }
            }
        }
        if !areAllRead { try setToken(nil) }
        return items
    }

    /// Writes items, or removes those that are nil, in one step.
    /// - Parameter changes: Called alone, so that of two writers the later one writes the later state.
    func write(_ changes: () -> [(String, MountedItem?)]) throws(SystemError) {
        let encoder = JSONEncoder()
        try database.withLock { database throws(SystemError) in
            let changes = changes()
            try Self.run(database.pointer, "BEGIN IMMEDIATE")
            do throws(SystemError) {
                for (id, item) in changes {
                    if let item {
                        guard let data = try? encoder.encode(item) else { throw SystemError(EIO) }
                        try Self.run(database.pointer, "INSERT OR REPLACE INTO items VALUES (?1, ?2)", id, data)
                    } else {
                        try Self.run(database.pointer, "DELETE FROM items WHERE id = ?1", id)
                    }
                }
                try Self.run(database.pointer, "COMMIT")
            } catch {
                try? Self.run(database.pointer, "ROLLBACK")
                throw error
            }
        }
    }

    private func run(_ sql: String) throws(SystemError) {
        try database.withLock { database throws(SystemError) in try Self.run(database.pointer, sql) }
    }

    private static func run(
        _ database: OpaquePointer, _ sql: String, _ text: String? = nil, _ data: Data? = nil
    ) throws(SystemError) {
        let statement = try prepare(database, sql)
        defer { sqlite3_finalize(statement) }
        if let text, !text.isEmpty {
            let bytes = Array(text.utf8)
            _ = bytes.withUnsafeBytes {
                stratus_sqlite3_bind_blob_transient(statement, 1, $0.baseAddress, Int32($0.count))
            }
        }
        if let data {
            _ = data.withUnsafeBytes {
                stratus_sqlite3_bind_blob_transient(statement, 2, $0.baseAddress, Int32($0.count))
            }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: continue
            case SQLITE_DONE: return
            default: throw failure(database)
            }
        }
    }

    private static func rows(
        _ database: OpaquePointer, _ sql: String, _ body: (Data) -> Void
    ) throws(SystemError) {
        let statement = try prepare(database, sql)
        defer { sqlite3_finalize(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                let count = Int(sqlite3_column_bytes(statement, 0))
                body(sqlite3_column_blob(statement, 0).map { Data(bytes: $0, count: count) } ?? Data())
            case SQLITE_DONE: return
            default: throw failure(database)
            }
        }
    }

    private static func prepare(_ database: OpaquePointer, _ sql: String) throws(SystemError) -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure(database)
        }
        return statement
    }

    private static func failure(_ database: OpaquePointer) -> SystemError {
        SystemError(sqlite3_errcode(database) & 0xFF == SQLITE_FULL ? ENOSPC : EIO)
    }
}
