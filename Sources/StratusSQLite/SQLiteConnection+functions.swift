import StratusCSQLite

/// The closure that a function or collation of SQL calls.
private final class SQLiteCallback<Body> {
    let body: Body

    init(_ body: Body) { self.body = body }

    /// Keeps the callback alive until SQLite calls `release`.
    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> Body? {
        pointer.map { Unmanaged<SQLiteCallback<Body>>.fromOpaque($0).takeUnretainedValue().body }
    }

    static func release(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<SQLiteCallback<Body>>.fromOpaque(pointer).release() }
    }
}

private typealias Test = ([SQLiteValue]) -> Bool
private typealias Order = (String, String) -> Int

extension SQLiteConnection {
    /// Adds a function to SQL that is 1 or 0 and depends on nothing but its arguments.
    public func addTest(_ name: String, arguments: Int, _ body: @escaping ([SQLiteValue]) -> Bool) throws {
        let status = sqlite3_create_function_v2(
            handle, name, Int32(arguments), SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            SQLiteCallback<Test>(body).retained,
            { context, count, arguments in
                guard let body = SQLiteCallback<Test>.of(sqlite3_user_data(context)), let arguments else { return }
                let values = (0..<Int(count)).map { SQLiteValue(argument: arguments[$0]) }
                sqlite3_result_int(context, body(values) ? 1 : 0)
            }, nil, nil, { SQLiteCallback<Test>.release($0) })
        guard status == SQLITE_OK else { throw failure(status, while: "adding the function \(name)") }
    }

    /// Adds a collation: an order of texts, negative if the first comes first. What is not UTF-8 is an empty text.
    public func addCollation(_ name: String, _ order: @escaping (String, String) -> Int) throws {
        let status = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, SQLiteCallback<Order>(order).retained,
            { callback, leftCount, left, rightCount, right in
                guard let order = SQLiteCallback<Order>.of(callback) else { return 0 }
                return Int32(clamping: order(text(left, leftCount), text(right, rightCount)))
            }, { SQLiteCallback<Order>.release($0) })
        guard status == SQLITE_OK else { throw failure(status, while: "adding the collation \(name)") }
    }
}

private func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
    String(validating: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self) ?? ""
}

extension SQLiteValue {
    /// Takes an argument of a function.
    fileprivate init(argument: OpaquePointer?) {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            let start = UnsafeRawPointer(sqlite3_value_text(argument))
            self = .text(StratusSQLite.text(start, sqlite3_value_bytes(argument)))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(argument)
            self = .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))))
        default: self = .null
        }
    }
}
