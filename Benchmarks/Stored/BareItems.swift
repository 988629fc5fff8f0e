import StratusCSQLite

/// The items of an ``ItemStore``, written and read with nothing but SQLite's C functions on one thread.
final class BareItems {
    private static let columns = "ZTITLE, ZTEXT, ZNUMBER, ZRATING, ZCREATED, ZDONE, Z_PK, Z_ENT, Z_OPT"

    private let database: Database
    private let insertion, selection, search: OpaquePointer

    /// Opens a file that Core Data has made, with its tables and indexes.
    init(_ path: String) throws {
        database = try Database(path, flags: SQLITE_OPEN_READWRITE)
        try database.execute("PRAGMA journal_mode = WAL")
        insertion = try database.prepare("INSERT INTO ZITEM (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1)")
        selection = try database.prepare("SELECT \(Self.columns) FROM ZITEM ORDER BY Z_PK")
        search = try database.prepare("SELECT \(Self.columns) FROM ZITEM WHERE ZNUMBER = ? ORDER BY Z_PK")
    }

    deinit { for statement in [insertion, selection, search] { sqlite3_finalize(statement) } }

    /// Inserts a row for each item in one transaction.
    func insert(_ items: [Item]) throws {
        try database.execute("BEGIN IMMEDIATE")
        for (index, item) in items.enumerated() {
            bind(1, item.title)
            bind(2, item.text)
            sqlite3_bind_int64(insertion, 3, Int64(item.number))
            sqlite3_bind_double(insertion, 4, item.rating)
            sqlite3_bind_double(insertion, 5, item.created.timeIntervalSinceReferenceDate)
            sqlite3_bind_int(insertion, 6, item.isDone ? 1 : 0)
            sqlite3_bind_int64(insertion, 7, Int64(index + 1))
            try database.run(insertion)
        }
        try database.execute("COMMIT")
    }

    private func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 {
            _ = stratus_sqlite3_bind_text_transient(insertion, index, $0.baseAddress, Int32($0.count))
        }
    }

    /// Reads all columns of all rows.
    /// - Returns: The number of rows, and the sum of their numbers.
    func readAll() -> (rows: Int, sum: Int64) { read(selection) }

    /// Reads all columns of the rows with a number.
    func read(number: Int) -> (rows: Int, sum: Int64) {
        sqlite3_bind_int64(search, 1, Int64(number))
        return read(search)
    }

    private func read(_ statement: OpaquePointer) -> (rows: Int, sum: Int64) {
        var (rows, sum): (Int, Int64) = (0, 0)
        while sqlite3_step(statement) == SQLITE_ROW {
            rows += 1
            for column in 0..<2 as Range<Int32> where sqlite3_column_text(statement, column) != nil {
                sum += Int64(sqlite3_column_bytes(statement, column))
            }
            sum += sqlite3_column_int64(statement, 2) + Int64(sqlite3_column_double(statement, 3))
            sum += Int64(sqlite3_column_double(statement, 4))
            for column in 5..<9 as Range<Int32> { sum += sqlite3_column_int64(statement, column) }
        }
        sqlite3_reset(statement)
        return (rows, sum)
    }
}
