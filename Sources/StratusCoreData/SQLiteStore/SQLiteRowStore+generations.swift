import StratusSQLite

extension SQLiteRowStore {
    func hasChangedElsewhere() throws -> Bool {
        try access { file in
            let version = try file.dataVersion()
            defer { dataVersion = version }
            return version != dataVersion
        }
    }

    /// Returns a store that shows the rows as they are now, however the file changes. Nil if reading would keep others
    /// from writing: a store in memory, or one without a log.
    ///
    /// The log of the file cannot be shortened before the store is closed.
    func snapshot() throws -> (any RowStore)? {
        guard !isInMemory else { return nil }
        let mode = try access { try $0.statement("PRAGMA journal_mode").first { $0.text(0) ?? "" } }
        guard mode?.lowercased() == "wal" else { return nil }
        replacedFiles.beginGeneration()
        do {
            let file = try StoreFile(path: path, isReadOnly: true, timeout: .seconds(10))
            try file.connection.execute("BEGIN")
            // A transaction begins to show one state with the first statement that reads.
            _ = try file.header()
            return SQLiteRowStore(file, of: self)
        } catch {
            replacedFiles.endGeneration()
            throw (error as? SQLiteError).map(StoreFailure.init) ?? error
        }
    }
}
