import Foundation
import StratusCompatibility
import StratusSQLite

/// An open store file. Used by one thread at a time.
final class StoreFile {
    let connection: SQLiteConnection
    private var statements: [String: SQLiteStatement] = [:]
    /// Prepared statements that are kept.
    static let statementLimit = 500

    /// - Parameters:
    ///   - isUnchanging: Whether nobody changes the file while it is read.
    ///   - timeout: How long to wait while another connection writes.
    init(path: String, isReadOnly: Bool, isUnchanging: Bool = false, timeout: Duration) throws {
        connection = try SQLiteConnection(
            path: path, isReadOnly: isReadOnly, isUnchanging: isUnchanging, busyTimeout: timeout)
        try SQLTextFunction.add(to: connection)
        try SQLValueFunctions.add(to: connection)
        try TextOrder.addAll(to: connection)
    }

    func statement(_ sql: String) throws -> SQLiteStatement {
        if let known = statements[sql] { return known }
        if statements.count >= Self.statementLimit { statements = [:] }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    /// The names of the tables. Empty if the file is new.
    func tableNames() throws -> Set<String> {
        Set(try statement("SELECT name FROM sqlite_master WHERE type = 'table'").all { $0.text(0) ?? "" })
    }

    /// Returns the names of the columns of a table: of all, or of those that are declared with a type.
    func columnNames(of table: String, type: String? = nil) throws -> Set<String> {
        let columns = try connection.prepare("PRAGMA table_info(\(quoted(table)))").all {
            ($0.text(1) ?? "", $0.text(2))
        }
        return Set(columns.filter { type == nil || $0.1?.uppercased() == type }.map(\.0))
    }

    /// Creates tables, indexes, the numbers of the entities and the metadata.
    func create(_ layout: StoreLayout, identifier: String, metadata: Data) throws {
        for table in layout.tables {
            try create(table)
            try createIndexes(of: table)
        }
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)
            """)
        try insertNumbers(of: layout)
        try statement("INSERT INTO Z_METADATA VALUES (1, ?, ?)").run(identifier, Array(metadata))
    }

    /// Writes the number of each entity, and the last key that its rows have had.
    func insertNumbers(of layout: StoreLayout, lastKeys: [String: Int64] = [:]) throws {
        for entity in layout.entities.values {
            let parent = entity.superentity.flatMap { layout.entities[$0]?.number } ?? 0
            try statement("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)").run(
                entity.number, entity.name, parent, lastKeys[entity.name] ?? 0)
        }
    }

    /// Creates a table without its indexes.
    func create(_ table: TableLayout) throws {
        var parts = table.columns.map { quoted($0.name) + " " + $0.type }
        if !table.primaryKey.isEmpty {
            parts.append("PRIMARY KEY (\(table.primaryKey.map(quoted).joined(separator: ", ")))")
        }
        try connection.execute("CREATE TABLE \(quoted(table.name)) (\(parts.joined(separator: ", ")))")
    }

    func createIndexes(of table: TableLayout) throws {
        for index in table.indexes {
            let columns = index.columns.map { column in
                quoted(column) + " COLLATE BINARY " + (index.descending.contains(column) ? "DESC" : "ASC")
            }
            try connection.execute(
                "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(quoted(index.name)) ON \(quoted(table.name)) "
                    + "(\(columns.joined(separator: ", ")))")
        }
        for tree in table.rTrees { try create(tree, of: table) }
    }

    /// Returns the identifier and the metadata of an existing store.
    func header() throws -> (identifier: String, metadata: [String: Any]) {
        let tables = try tableNames()
        guard tables.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
            throw StoreFailure(.notAStore, "the file is a database that Core Data did not make")
        }
        let found = try statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA").first { ($0.text(0), $0.blob(1)) }
        guard let identifier = found?.0, let bytes = found?.1,
            let plist = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
            let metadata = plist as? [String: Any]
        else { throw StoreFailure(.damaged, "the metadata of the store cannot be read") }
        return (identifier, metadata)
    }

    func entityNumbers() throws -> [String: Int64] {
        let found = try statement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY").all { row in
            guard let name = row.text(0), let number = row.integer(1), number > 0 else {
                throw StoreFailure(.damaged, "an entity of the store has no name, or a number that is not positive")
            }
            return (name, number)
        }
        return Dictionary(found, uniquingKeysWith: { $1 })
    }

    /// Checks that all tables and columns exist.
    func check(_ layout: StoreLayout) throws {
        for table in layout.tables {
            let missing = Set(table.columns.map(\.name)).subtracting(try columnNames(of: table.name))
            guard missing.isEmpty else {
                throw StoreFailure(
                    .damaged,
                    "table '\(table.name)' lacks \(missing.sorted().map { "'\($0)'" }.joined(separator: ", "))")
            }
        }
    }
}
