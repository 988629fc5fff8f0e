import Foundation
import StratusCloudKit
import StratusSQLite
import StratusWorkers

/// The items of the mount on disk, so that it starts at once and without the server.
///
/// All functions block.
final class MountStore: Sendable {
    /// `@unchecked Sendable`: the value exists only inside `Lock<Database>`, so its members are used by one thread at a
    /// time, as SQLite wants it, and a connection may move between threads.
    private struct Database: @unchecked Sendable {
        let connection: SQLiteConnection
        let saveItem: SQLiteStatement
        let removeItem: SQLiteStatement
        var token: CKServerChangeToken?
    }

    private let database: Lock<Database>

    init(_ path: String) throws(SystemError) {
        database = Lock(
            try Self.mapping {
                let connection = try SQLiteConnection(path: path)
                for statement in [
                    "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                    "CREATE TABLE IF NOT EXISTS items (id BLOB PRIMARY KEY, item BLOB NOT NULL) WITHOUT ROWID",
                    "CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
                ] {
                    try connection.execute(statement)
                }
                let token = try connection.prepare("SELECT value FROM state WHERE name = 'token'").first { $0.blob(0) }
                return Database(
                    connection: connection,
                    saveItem: try connection.prepare("INSERT OR REPLACE INTO items VALUES (?1, ?2)"),
                    removeItem: try connection.prepare("DELETE FROM items WHERE id = ?1"),
                    // Without a token that this version can read, all is fetched again.
                    token: token??.withUnsafeBytes { bytes in
                        try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: Data(bytes))
                    })
            })
    }

    /// The position up to which the server's changes were fetched; nil before the first listing.
    var token: CKServerChangeToken? { database.withLock { $0.token } }

    func setToken(_ token: CKServerChangeToken?) throws(SystemError) {
        try database.withLock { database throws(SystemError) in
            try Self.mapping {
                if let token {
                    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
                    try database.connection.prepare("INSERT OR REPLACE INTO state VALUES ('token', ?1)").run(
                        [UInt8](data))
                } else {
                    try database.connection.execute("DELETE FROM state WHERE name = 'token'")
                }
            }
            database.token = token
        }
    }

    /// All items. One that this version cannot read is fetched again with the others.
    func items() throws(SystemError) -> [MountedItem] {
        let decoder = JSONDecoder()
        let items = try database.withLock { database throws(SystemError) in
            try Self.mapping {
                try database.connection.prepare("SELECT item FROM items").all { row in
                    row.blob(0).flatMap { try? decoder.decode(MountedItem.self, from: Data($0)) }
                }
            }
        }
        if items.contains(nil) { try setToken(nil) }
        return items.compactMap(\.self)
    }

    /// Writes items, or removes those that are nil, in one step.
    /// - Parameter changes: Called alone, so that of two writers the later one writes the later state.
    func write(_ changes: () -> [(String, MountedItem?)]) throws(SystemError) {
        let encoder = JSONEncoder()
        try database.withLock { database throws(SystemError) in
            try Self.mapping {
                try database.connection.transaction {
                    for (id, item) in changes() {
                        if let item {
                            try database.saveItem.run(Array(id.utf8), [UInt8](try encoder.encode(item)))
                        } else {
                            try database.removeItem.run(Array(id.utf8))
                        }
                    }
                }
            }
        }
    }

    /// Maps errors to those that programs get.
    private static func mapping<Value>(_ body: () throws -> Value) throws(SystemError) -> Value {
        do {
            return try body()
        } catch {
            throw SystemError((error as? SQLiteError)?.code == .diskFull ? ENOSPC : EIO)
        }
    }
}
