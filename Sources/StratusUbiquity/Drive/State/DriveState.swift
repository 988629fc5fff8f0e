import Foundation
import StratusSQLite

/// All that an agent knows, in a database of its own. Every change is in the file before it is acted on.
///
/// Entries are read from the database as they are needed, so that the memory of an agent does not grow with the number
/// of items. Only the agent uses the state. The agent is an actor, so no lock is needed.
final class DriveState {
    /// Entries that were used lately and are kept in memory, at most.
    private static let cached = 4_096
    /// Entries in memory while all are read.
    private static let page = 256

    private let connection: SQLiteConnection
    private let save: SQLiteStatement
    private let remove: SQLiteStatement
    private let keep: SQLiteStatement
    private let find: SQLiteStatement
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()
    private let checkpoints: DriveCheckpoints
    private var statements: [String: SQLiteStatement] = [:]
    private var cache: [String: DriveEntry] = [:]
    /// Entries that were changed since ``forgetTouched()`` was called; nil for all.
    private(set) var touched: Set<String>?

    init(path: String, _ checkpoints: DriveCheckpoints) throws {
        self.checkpoints = checkpoints
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
        try connection.execute(DriveRow.schema)
        save = try connection.prepare(DriveRow.save)
        remove = try connection.prepare("DELETE FROM entries WHERE id = ?")
        keep = try connection.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")
        find = try connection.prepare("SELECT entry FROM entries WHERE id = ?")
        try migrate()
    }

    /// The entry of an item; nil if no tree has the item.
    subscript(id: String) -> DriveEntry? {
        get throws {
            if let known = cache[id] { return known }
            guard let entry = try find.first(id, row: { try decoded($0) }) else { return nil }
            cache(entry)
            return entry
        }
    }

    /// Writes an entry; one of which no tree knows anything is forgotten.
    func put(_ entry: DriveEntry) throws {
        guard try self[entry.id] != entry else { return }
        try checkpoints(.noting, "")
        if entry.remote == nil, entry.local == nil, entry.synced == nil {
            try remove.run(entry.id)
            cache[entry.id] = nil
        } else {
            try write(entry)
            cache(entry)
        }
        touched?.insert(entry.id)
    }

    /// Changes an entry, which is made if need be.
    func change(_ id: String, _ body: (inout DriveEntry) throws -> Void) throws {
        var entry = try self[id] ?? DriveEntry(id: id)
        try body(&entry)
        try put(entry)
    }

    /// Makes changes that are all kept, or none of them.
    func transaction(_ body: () throws -> Void) throws {
        do {
            try connection.transaction(body)
        } catch {
            cache = [:]
            throw error
        }
    }

    func setting(_ name: String) throws -> Data? {
        try statement("SELECT value FROM settings WHERE name = ?").first(name) { Data($0.blob(0) ?? []) }
    }

    func set(_ name: String, to value: Data) throws {
        try checkpoints(.noting, name)
        try keep.run(name, [UInt8](value))
    }

    func forgetTouched() { touched = [] }

    // MARK: - Reading

    /// The entries of a query for their column `entry`.
    func entries(_ sql: String, _ values: any SQLiteBindable...) throws -> [DriveEntry] {
        var found: [DriveEntry] = []
        try statement(sql).forEach(values) { row in
            found.append(try decoded(row))
            return true
        }
        return found
    }

    /// Calls a function with each entry, in the order of their names. It may change entries.
    func forEach(_ body: (DriveEntry) throws -> Void) throws {
        var last = ""
        while true {
            let page = try entries("SELECT entry FROM entries WHERE id > ? ORDER BY id LIMIT \(Self.page)", last)
            guard let end = page.last else { return }
            last = end.id
            for entry in page { try body(entry) }
        }
    }

    /// A statement that is prepared once.
    func statement(_ sql: String) throws -> SQLiteStatement {
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    private func decoded(_ row: SQLiteRow) throws -> DriveEntry {
        try decoder.decode(DriveEntry.self, from: Data(row.blob(0) ?? []))
    }

    private func cache(_ entry: DriveEntry) {
        if cache.count >= Self.cached { cache = [:] }
        cache[entry.id] = entry
    }

    private func write(_ entry: DriveEntry) throws {
        try save.forEach(DriveRow.values(of: entry, [UInt8](try encoder.encode(entry)))) { _ in true }
    }

    /// Takes over the entries of earlier versions of Stratus, which had no columns.
    private func migrate() throws {
        let isOld = try statement("SELECT 1 FROM sqlite_schema WHERE name = 'items'").first { _ in true } ?? false
        guard isOld else { return }
        try connection.transaction {
            try connection.prepare("SELECT entry FROM items").forEach { row in
                try write(try decoded(row))
                return true
            }
            try connection.execute("DROP TABLE items")
        }
    }
}
