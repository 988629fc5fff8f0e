import Foundation
import StratusSQLite

/// All that an agent knows, in a database of its own. Every change is in the file before it is acted on.
///
/// Only the agent uses it. The agent is an actor, so no lock is needed.
final class DriveState {
    private let connection: SQLiteConnection
    private let save: SQLiteStatement
    private let remove: SQLiteStatement
    private let keep: SQLiteStatement
    private let encoder = JSONEncoder()
    private let checkpoints: DriveCheckpoints
    private(set) var entries: [String: DriveEntry] = [:]
    /// Items of the local tree, by place.
    private(set) var localPlaces: [DrivePlace: String] = [:]
    /// Items of the server's tree that are not deleted, by folder.
    private(set) var remoteChildren: [String: Set<String>] = [:]

    init(path: String, _ checkpoints: DriveCheckpoints) throws {
        self.checkpoints = checkpoints
        connection = try SQLiteConnection(path: path)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, entry BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            """)
        save = try connection.prepare("INSERT OR REPLACE INTO items (id, entry) VALUES (?, ?)")
        remove = try connection.prepare("DELETE FROM items WHERE id = ?")
        keep = try connection.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")
        let decoder = JSONDecoder()
        for bytes in try connection.prepare("SELECT entry FROM items").all(row: { $0.blob(0) ?? [] }) {
            let entry = try decoder.decode(DriveEntry.self, from: Data(bytes))
            index(nil, entry)
            entries[entry.id] = entry
        }
    }

    subscript(id: String) -> DriveEntry? { entries[id] }

    /// Writes an entry; one of which no tree knows anything is forgotten.
    func put(_ entry: DriveEntry) throws {
        let former = entries[entry.id]
        guard former != entry else { return }
        try checkpoints(.noting, "")
        if entry.remote == nil, entry.local == nil, entry.synced == nil {
            try remove.run(entry.id)
            index(former, nil)
            entries[entry.id] = nil
        } else {
            try save.run(entry.id, [UInt8](try encoder.encode(entry)))
            index(former, entry)
            entries[entry.id] = entry
        }
    }

    /// Changes an entry, which is made if need be.
    func change(_ id: String, _ body: (inout DriveEntry) throws -> Void) throws {
        var entry = entries[id] ?? DriveEntry(id: id)
        try body(&entry)
        try put(entry)
    }

    /// Makes changes that are all kept, or none of them.
    func transaction(_ body: () throws -> Void) throws {
        let former = (entries, localPlaces, remoteChildren)
        do {
            try connection.transaction(body)
        } catch {
            (entries, localPlaces, remoteChildren) = former
            throw error
        }
    }

    func setting(_ name: String) throws -> Data? {
        try connection.prepare("SELECT value FROM settings WHERE name = ?").first(name) { Data($0.blob(0) ?? []) }
    }

    func set(_ name: String, to value: Data) throws {
        try checkpoints(.noting, name)
        try keep.run(name, [UInt8](value))
    }

    /// The local item at a place.
    func local(at place: DrivePlace) -> DriveEntry? { localPlaces[place].flatMap { entries[$0] } }

    private func index(_ former: DriveEntry?, _ entry: DriveEntry?) {
        if let former {
            if let place = former.local?.shape.place, localPlaces[place] == former.id { localPlaces[place] = nil }
            if let remote = former.remote { remoteChildren[remote.shape.place.folder]?.remove(former.id) }
        }
        guard let entry else { return }
        if let place = entry.local?.shape.place { localPlaces[place] = entry.id }
        if let remote = entry.remote, !remote.isDeleted {
            remoteChildren[remote.shape.place.folder, default: []].insert(entry.id)
        }
    }
}
