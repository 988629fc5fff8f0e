import StratusSQLite

/// A tree of ranges over number columns of a table, which SQLite keeps in a table of its own. Rows without a value in one
/// of the columns are not in the tree.
struct RTreeLayout: Hashable, Sendable {
    /// The greatest number of columns of SQLite's trees.
    static let dimensions = 5

    let name: String
    let columns: [String]

    func least(_ column: String) -> String { quoted(column + "_MIN") }
    func greatest(_ column: String) -> String { quoted(column + "_MAX") }

    /// The columns of the tree in SQL.
    var definition: String {
        (["Z_PK"] + columns.flatMap { [least($0), greatest($0)] }).joined(separator: ", ")
    }

    /// The values of a row for the tree in SQL.
    func values(of row: String) -> String {
        (["Z_PK"] + columns.flatMap { [$0, $0] }).map { row + "." + quoted($0) }.joined(separator: ", ")
    }

    /// The condition that a row has all values.
    func isComplete(_ row: String) -> String {
        columns.map { "\(row).\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    }
}

extension StoreFile {
    /// Creates a tree with the rows of its table. Triggers, which need no functions of a program, keep it up to date, so
    /// that any program can write to the table.
    func create(_ tree: RTreeLayout, of table: TableLayout) throws {
        let (name, owner) = (quoted(tree.name), quoted(table.name))
        let add = "INSERT INTO \(name) SELECT \(tree.values(of: "NEW")) WHERE \(tree.isComplete("NEW"))"
        let remove = "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK"
        let changed = tree.columns.map(quoted).joined(separator: ", ")
        try connection.execute(
            """
            CREATE VIRTUAL TABLE \(name) USING RTREE (\(tree.definition));
            CREATE TRIGGER \(quoted(tree.name + "_INSERT")) AFTER INSERT ON \(owner) BEGIN \(add); END;
            CREATE TRIGGER \(quoted(tree.name + "_UPDATE")) AFTER UPDATE OF \(changed) ON \(owner)
            BEGIN \(remove); \(add); END;
            CREATE TRIGGER \(quoted(tree.name + "_DELETE")) AFTER DELETE ON \(owner) BEGIN \(remove); END;
            INSERT INTO \(name) SELECT \(tree.values(of: owner)) FROM \(owner) WHERE \(tree.isComplete(owner))
            """)
    }

    /// Removes all trees. Their triggers go with the tables that these are of.
    func dropRTrees() throws {
        let trees = try statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING RTREE%'"
        ).all { $0.text(0) ?? "" }
        for name in trees { try connection.execute("DROP TABLE \(quoted(name))") }
    }
}
