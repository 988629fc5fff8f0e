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

private typealias Function = ([SQLiteValue]) -> SQLiteValue
private typealias Aggregate = () -> any SQLiteAggregate
private typealias Order = (String, String) -> Int

/// A value over several rows, such as a sum, while SQLite goes through the rows.
public protocol SQLiteAggregate: AnyObject {
    /// Takes the arguments of one row.
    func step(_ arguments: [SQLiteValue])
    /// The value over all rows.
    var value: SQLiteValue { get }
}

extension SQLiteConnection {
    /// Adds a function to SQL.
    /// - Parameters:
    ///   - arguments: Their number; -1 for any.
    ///   - isDeterministic: Whether it depends on nothing but its arguments.
    public func addFunction(
        _ name: String, arguments: Int, isDeterministic: Bool = true,
        _ body: @escaping ([SQLiteValue]) -> SQLiteValue
    ) throws {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
        let status = sqlite3_create_function_v2(
            handle, name, Int32(arguments), flags, SQLiteCallback<Function>(body).retained,
            { context, count, arguments in
                guard let body = SQLiteCallback<Function>.of(sqlite3_user_data(context)) else { return }
                body(SQLiteValue.all(count, arguments)).become(resultOf: context)
            }, nil, nil, { SQLiteCallback<Function>.release($0) })
        guard status == SQLITE_OK else { throw failure(status, while: "adding the function \(name)") }
    }

    /// Adds a function to SQL that is 1 or 0 and depends on nothing but its arguments.
    public func addTest(_ name: String, arguments: Int, _ body: @escaping ([SQLiteValue]) -> Bool) throws {
        try addFunction(name, arguments: arguments) { .integer(body($0) ? 1 : 0) }
    }

    /// Adds a function over several rows to SQL.
    /// - Parameter make: Returns a new aggregate for each group of rows.
    public func addAggregate(_ name: String, arguments: Int, _ make: @escaping () -> any SQLiteAggregate) throws {
        let status = sqlite3_create_function_v2(
            handle, name, Int32(arguments), SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC,
            SQLiteCallback<Aggregate>(make).retained, nil,
            { context, count, arguments in
                guard let place = place(of: context, Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)),
                    let make = SQLiteCallback<Aggregate>.of(sqlite3_user_data(context))
                else { return sqlite3_result_error_nomem(context) }
                if place.pointee == nil { place.pointee = Unmanaged.passRetained(make() as AnyObject).toOpaque() }
                aggregate(at: place.pointee)?.step(SQLiteValue.all(count, arguments))
            },
            { context in
                // Without rows there has been no step.
                guard let pointer = place(of: context, 0)?.pointee else {
                    let make = SQLiteCallback<Aggregate>.of(sqlite3_user_data(context))
                    return (make?().value ?? .null).become(resultOf: context)
                }
                (aggregate(at: pointer)?.value ?? .null).become(resultOf: context)
                Unmanaged<AnyObject>.fromOpaque(pointer).release()
            }, { SQLiteCallback<Aggregate>.release($0) })
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

/// The place in which SQLite keeps the aggregate of a group of rows; nil if there is no memory, or no place of size 0.
private func place(of context: OpaquePointer?, _ size: Int32) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

private func aggregate(at pointer: UnsafeMutableRawPointer?) -> (any SQLiteAggregate)? {
    pointer.flatMap { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? any SQLiteAggregate }
}

private func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
    String(validating: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self) ?? ""
}

extension SQLiteValue {
    fileprivate static func all(_ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) -> [SQLiteValue] {
        guard let arguments else { return [] }
        return (0..<Int(count)).map { SQLiteValue(argument: arguments[$0]) }
    }

    /// Makes the value the result of a function.
    fileprivate func become(resultOf context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(var text):
            text.withUTF8 { stratus_sqlite3_result_text_transient(context, $0.baseAddress, Int32(clamping: $0.count)) }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
            bytes.withUnsafeBytes {
                stratus_sqlite3_result_blob_transient(context, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
    }

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
