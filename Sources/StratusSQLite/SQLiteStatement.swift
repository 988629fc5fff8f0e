import StratusCSQLite

/// A prepared statement, which is kept and used again and again.
public final class SQLiteStatement {
    private let handle: OpaquePointer
    private let sql: String
    /// Alive as long as its statements.
    private let connection: SQLiteConnection

    init(_ handle: OpaquePointer, _ sql: String, on connection: SQLiteConnection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// The greatest number of a parameter.
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Runs the statement, and gives each row to `body`, which says whether to go on.
    /// - Parameter values: Of the parameters, in order: as many as there are.
    public func forEach(
        _ values: [any SQLiteBindable] = [], _ body: (SQLiteRow) throws -> Bool
    ) throws {
        try forEach(binding: values.map(\.sqliteValue), body)
    }

    /// Runs the statement with values of SQLite, and gives each row to `body`, which says whether to go on.
    /// - Parameter values: Of the parameters, in order: as many as there are.
    public func forEach(binding values: [SQLiteValue], _ body: (SQLiteRow) throws -> Bool) throws {
        try bind(values)
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        while true {
            let status = sqlite3_step(handle)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { throw connection.failure(status, while: sql) }
            guard try body(SQLiteRow(handle: handle)) else { return }
        }
    }

    /// Runs the statement, and makes a value of each row.
    public func all<Value>(_ values: any SQLiteBindable..., row: (SQLiteRow) throws -> Value) throws -> [Value] {
        var found: [Value] = []
        try forEach(values) {
            found.append(try row($0))
            return true
        }
        return found
    }

    /// Runs the statement, and makes a value of the first row; nil if there is none.
    public func first<Value>(_ values: any SQLiteBindable..., row: (SQLiteRow) throws -> Value) throws -> Value? {
        var found: Value?
        try forEach(values) {
            found = try row($0)
            return false
        }
        return found
    }

    /// Runs the statement to its end.
    /// - Returns: Rows that it inserted, changed or deleted.
    @discardableResult
    public func run(_ values: any SQLiteBindable...) throws -> Int {
        try forEach(values) { _ in true }
        return connection.changes
    }

    private func bind(_ values: [SQLiteValue]) throws {
        guard values.count == parameterCount else {
            throw SQLiteError(
                .misuse,
                "\(values.count) values for \(parameterCount) parameters in: \(sql)")
        }
        guard sqlite3_stmt_busy(handle) == 0 else {
            throw SQLiteError(.misuse, "a statement is used while it runs: \(sql)")
        }
        for (offset, value) in values.enumerated() {
            let status = bind(Int32(offset + 1), value)
            guard status == SQLITE_OK else { throw connection.failure(status, while: sql) }
        }
    }

    private func bind(_ index: Int32, _ value: SQLiteValue) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { stratus_sqlite3_bind_text_transient(handle, index, $0.baseAddress, Int32($0.count)) }
        case .blob(let bytes):
            // A null pointer would bind NULL instead of an empty blob.
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes {
                stratus_sqlite3_bind_blob_transient(handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }
}
