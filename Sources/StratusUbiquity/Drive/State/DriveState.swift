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
    /// Changes whenever an item of the server gets another place, is deleted or restored.
    private(set) var placesVersion = 0
    /// The same for folders.
    private(set) var foldersVersion = 0
    /// Whether the open transaction has changed something.
    private var hasChanges = false

    init(path: String, _ checkpoints: DriveCheckpoints) throws {
        self.checkpoints = checkpoints
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
        try Self.makeTables(in: connection)
        save = try connection.prepare(DriveRow.save)
        remove = try connection.prepare("DELETE FROM entries WHERE id = ?")
        keep = try connection.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")
        find = try connection.prepare("SELECT entry FROM entries WHERE id = ?")
        try takeOverItems()
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
        let former = try self[entry.id]
        guard former != entry else { return }
        try beginWriting()
        if entry.remote == nil, entry.local == nil, entry.synced == nil {
            try remove.run(entry.id)
            cache[entry.id] = nil
        } else {
            try write(entry)
            cache(entry)
        }
        touched?.insert(entry.id)
        noteMove(from: former?.remote, to: entry.remote)
    }

    /// Changes an entry, which is made if need be.
    func change(_ id: String, _ body: (inout DriveEntry) throws -> Void) throws {
        var entry = try self[id] ?? DriveEntry(id: id)
        try body(&entry)
        try put(entry)
    }

    /// Makes changes that are all kept, or none of them. Waits for the disk once.
    func transaction(_ body: () throws -> Void) throws {
        let isOuter = !connection.isInTransaction
        if isOuter { hasChanges = false }
        do {
            try connection.transaction {
                try body()
                if isOuter, hasChanges { try checkpoints(.noting, "") }
            }
        } catch {
            cache = [:]
            (placesVersion, foldersVersion) = (placesVersion + 1, foldersVersion + 1)
            throw error
        }
    }

    func setting(_ name: String) throws -> Data? {
        try statement("SELECT value FROM settings WHERE name = ?").first(name) { Data($0.blob(0) ?? []) }
    }

    func set(_ name: String, to value: Data) throws {
        guard try setting(name) != value else { return }
        try beginWriting()
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

    /// A transaction is written as a whole when it ends.
    private func beginWriting() throws {
        hasChanges = true
        if !connection.isInTransaction { try checkpoints(.noting, "") }
    }

    private func noteMove(from former: DriveEntry.Remote?, to remote: DriveEntry.Remote?) {
        guard former?.shape.place != remote?.shape.place || former?.isDeleted != remote?.isDeleted else { return }
        placesVersion += 1
        if former?.shape.kind == .folder || remote?.shape.kind == .folder { foldersVersion += 1 }
    }

    private func write(_ entry: DriveEntry) throws {
        try save.forEach(DriveRow.values(of: entry, [UInt8](try encoder.encode(entry)))) { _ in true }
    }

    // MARK: - Earlier versions

    /// Makes the tables. Entries of an earlier version, whose rows were others, are in the table `items` then.
    private static func makeTables(in connection: SQLiteConnection) throws {
        let version = try connection.prepare("PRAGMA user_version").first { $0.integer(0) ?? 0 }
        try connection.transaction {
            if version != DriveRow.version, try hasTable("entries", in: connection) {
                try connection.execute("CREATE TABLE items AS SELECT entry FROM entries; DROP TABLE entries;")
            }
            try connection.execute(DriveRow.schema)
            if version != DriveRow.version { try connection.execute("PRAGMA user_version = \(DriveRow.version)") }
        }
    }

    /// Takes over the entries of earlier versions of Stratus.
    private func takeOverItems() throws {
        guard try Self.hasTable("items", in: connection) else { return }
        try connection.transaction {
            try connection.prepare("SELECT entry FROM items").forEach { row in
                try write(try decoded(row))
                return true
            }
            try connection.execute("DROP TABLE items")
        }
    }

    private static func hasTable(_ name: String, in connection: SQLiteConnection) throws -> Bool {
        try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").first(name) { _ in true } ?? false
    }
}
