import StratusCSQLite

/// The row at which a statement stands. Valid only while the statement stands there.
public struct SQLiteRow {
    let handle: OpaquePointer

    /// The number of columns.
    public var count: Int { Int(sqlite3_column_count(handle)) }

    /// Whether a column is NULL.
    public func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    /// A column as an integer; nil for NULL.
    public func integer(_ column: Int) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(handle, Int32(column))
    }

    /// A column as a real number; nil for NULL.
    public func real(_ column: Int) -> Double? { isNull(column) ? nil : sqlite3_column_double(handle, Int32(column)) }

    /// A column as text; nil for NULL, and for what is not UTF-8.
    public func text(_ column: Int) -> String? {
        guard let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A column as bytes; nil for NULL.
    public func blob(_ column: Int) -> [UInt8]? {
        guard !isNull(column) else { return nil }
        guard let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    /// A column as the type that it has. A text that is not UTF-8 is null.
    public func value(_ column: Int) -> SQLiteValue {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, Int32(column)))
        case SQLITE_FLOAT: .real(sqlite3_column_double(handle, Int32(column)))
        case SQLITE_TEXT: text(column).map { .text($0) } ?? .null
        case SQLITE_BLOB: blob(column).map { .blob($0) } ?? .null
        default: .null
        }
    }
}
