import StratusSQLite

extension HistoryTables {
    /// The numbers that the tables have as entities.
    enum Number {
        static let change: Int64 = 16_001
        static let transaction: Int64 = 16_002
        static let string: Int64 = 16_003
    }

    /// A table, with the columns that it has besides `Z_PK`, `Z_ENT` and `Z_OPT`.
    private struct Table {
        let name: String
        let number: Int64
        let columns: [(name: String, type: String)]
    }

    /// Whether a file has a history.
    static func exist(in file: StoreFile) throws -> Bool { try file.tableNames().contains("ATRANSACTION") }

    /// Creates what a file lacks. Files of older systems lack tables and columns.
    func create() throws {
        try file.connection.transaction {
            for table in tables { try create(table) }
            try file.connection.execute(
                """
                CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
                CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionAuthorIndex
                    ON ATRANSACTION (ZAUTHORTS COLLATE BINARY ASC);
                CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionTimestampIndex
                    ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC);
                CREATE UNIQUE INDEX IF NOT EXISTS Z_TRANSACTIONSTRING_UNIQUE_NAME
                    ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
                """)
        }
    }

    private func create(_ table: Table) throws {
        try file.connection.execute(
            "CREATE TABLE IF NOT EXISTS \(table.name) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)")
        let existing = try file.columnNames(of: table.name)
        for column in table.columns where !existing.contains(column.name) {
            try file.connection.execute("ALTER TABLE \(table.name) ADD COLUMN \(column.name) \(column.type)")
        }
        try file.statement("INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (?, ?, 0, 0)").run(
            table.number, String(table.name.dropFirst()))
    }

    var tombstoneColumns: [String] {
        let count = layout.entities.values.map(\.history.preserved.count).max() ?? 0
        return (0..<count).map { "ZTOMBSTONE\($0)" }
    }

    private var tables: [Table] {
        func columns(_ type: String, _ names: String...) -> [(name: String, type: String)] { names.map { ($0, type) } }
        return [
            Table(
                name: "ACHANGE", number: Number.change,
                columns: columns("INTEGER", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID")
                    + columns("BLOB", "ZCOLUMNS") + tombstoneColumns.map { ($0, "BLOB") }),
            Table(
                name: "ATRANSACTION", number: Number.transaction,
                columns: columns("INTEGER", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS")
                    + columns("FLOAT", "ZTIMESTAMP")
                    + columns("VARCHAR", "ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID")
                    + columns("BLOB", "ZQUERYGEN")),
            Table(
                name: "ATRANSACTIONSTRING", number: Number.string, columns: columns("VARCHAR", "ZNAME")),
        ]
    }
}
