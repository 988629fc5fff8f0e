import Foundation
import StratusTestSupport
import Testing

@testable import StratusSQLite

@Suite struct SQLiteTests {
    private let directory: TemporaryDirectory
    private let connection: SQLiteConnection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try SQLiteConnection(path: directory.path + "/test.sqlite", busyTimeout: .zero)
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
    }

    private func values() throws -> [Int64] {
        try connection.prepare("SELECT k FROM t ORDER BY k").all { $0.integer(0) ?? -1 }
    }

    @Test("every type comes back as it was bound, NULL and what is empty told apart")
    func types() throws {
        let insert = try connection.prepare("INSERT INTO t (v) VALUES (?)")
        for value: any SQLiteBindable in [
            Int64.min, 1.5, "", "a\0é", [UInt8](), [0, 255] as [UInt8], String?.none, true,
        ] {
            #expect(try insert.run(value) == 1)
        }
        let select = try connection.prepare("SELECT v FROM t WHERE k = ?")
        #expect(try select.first(1) { $0.integer(0) } == Int64.min)
        #expect(try select.first(2) { $0.real(0) } == 1.5)
        #expect(try select.first(3) { $0.text(0) } == "")
        #expect(try select.first(4) { $0.text(0) } == "a\0é")
        #expect(try select.first(5) { $0.blob(0) } == [])
        #expect(try select.first(6) { $0.blob(0) } == [0, 255])
        #expect(
            try select.first(7) { $0.isNull(0) && $0.text(0) == nil && $0.blob(0) == nil && $0.integer(0) == nil }
                == true)
        #expect(try select.first(8) { $0.integer(0) } == 1)
        #expect(try select.first(9) { $0.integer(0) } == nil)
        #expect(connection.lastInsertedRow == 8)
    }

    @Test("a transaction that throws changes nothing, and one in another one is undone alone")
    func transactions() throws {
        struct Stop: Error {}
        let insert = try connection.prepare("INSERT INTO t (k) VALUES (?)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try insert.run(1)
                throw Stop()
            }
        }
        #expect(try values() == [] && !connection.isInTransaction)
        try connection.transaction {
            try insert.run(1)
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try insert.run(2)
                    throw Stop()
                }
            }
            try insert.run(3)
        }
        #expect(try values() == [1, 3])
    }

    @Test("errors say what can be done about them")
    func errors() throws {
        func code(_ body: () throws -> Void) -> SQLiteError.Code? {
            do { try body() } catch { return (error as? SQLiteError)?.code }
            return nil
        }
        let insert = try connection.prepare("INSERT INTO t (k) VALUES (?)")
        try insert.run(1)
        #expect(code { try insert.run(1) } == .constraint)
        #expect(code { try insert.run() } == .misuse)
        #expect(code { try connection.execute("SELEKT") } == .misuse)
        #expect(code { _ = try connection.prepare(" ") } == .misuse)
        #expect(code { _ = try SQLiteConnection(path: directory.path + "/none/x") } == .inputOutput)
        let reader = try SQLiteConnection(path: directory.path + "/test.sqlite", isReadOnly: true)
        #expect(code { try reader.execute("DELETE FROM t") } == .readOnly)
        let other = try SQLiteConnection(path: directory.path + "/test.sqlite", busyTimeout: .zero)
        try connection.transaction {
            #expect(code { try other.transaction {} } == .busy)
        }
        try connection.execute("PRAGMA max_page_count = 4")
        #expect(code { try connection.prepare("INSERT INTO t (v) VALUES (zeroblob(100000))").run() } == .diskFull)
        let damaged = directory.path + "/damaged"
        let text = String(repeating: "no database ", count: 100)
        try Data(text.utf8).write(to: URL(fileURLWithPath: damaged))
        #expect(code { try SQLiteConnection(path: damaged).execute("SELECT * FROM t") } == .corrupted)
    }

    @Test("a statement is not used again while it runs")
    func reentry() throws {
        try connection.execute("INSERT INTO t (k) VALUES (1), (2)")
        let select = try connection.prepare("SELECT k FROM t")
        #expect(throws: SQLiteError.self) { try select.forEach { _ in try select.first { $0.integer(0) } == nil } }
        #expect(try select.all { $0.integer(0) } == [1, 2])
    }

    @Test("functions and aggregates get and return every type; an aggregate without rows has a value, too")
    func functions() throws {
        try connection.addFunction("same", arguments: 1) { $0[0] }
        try connection.addFunction("arguments", arguments: -1) { .integer(Int64($0.count)) }
        try connection.addAggregate("collect", arguments: 1) { Texts() }
        let values: [SQLiteValue] = [
            .null, .integer(.min), .real(0.5), .text(""), .text("a\0é"), .blob([]), .blob([0]),
        ]
        for value in values {
            #expect(try connection.prepare("SELECT same(?)").first(value) { $0.value(0) } == value)
        }
        #expect(try connection.prepare("SELECT arguments(1, 2, 3)").first { $0.integer(0) } == 3)
        try connection.execute("INSERT INTO t (v) VALUES ('a'), ('b'), ('c')")
        let groups = try connection.prepare("SELECT collect(v) FROM t GROUP BY k < 3 ORDER BY k")
        #expect(try groups.all { $0.text(0) } == ["ab", "c"])
        #expect(try connection.prepare("SELECT collect(v) FROM t WHERE k > 9").first { $0.text(0) } == "")
    }
}

/// Joins texts.
private final class Texts: SQLiteAggregate {
    private var all = ""

    func step(_ arguments: [SQLiteValue]) { if case .text(let text) = arguments[0] { all += text } }

    var value: SQLiteValue { .text(all) }
}
