import Foundation
import StratusSQLite

/// The tables with the history of a store, as Apple's Core Data has them.
struct HistoryTables {
    let file: StoreFile
    let layout: StoreLayout

    // MARK: - Writing

    /// Adds a transaction.
    func add(_ changes: [StoredChange], _ origin: SaveOrigin, at date: Date) throws {
        guard !changes.isEmpty else { return }
        let transaction = try keys(1, of: Number.transaction)
        try file.statement(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) "
                + "VALUES (?, ?, 1, ?, ?, ?, ?, ?)"
        ).run(
            transaction, Number.transaction, try string(origin.author), try string(origin.bundleIdentifier),
            try string(origin.contextName), try string(origin.process), date.timeIntervalSinceReferenceDate)
        let first = try keys(changes.count, of: Number.change)
        let columns =
            ["Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
            + tombstoneColumns
        let insert = try file.statement(
            "INSERT INTO ACHANGE (\(columns.joined(separator: ", "))) "
                + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))")
        for (index, change) in changes.enumerated() {
            let entity = try layout.entity(change.key.entity)
            let bits = change.updated.map { SQLiteValue.blob(entity.history.bits($0)) } ?? .null
            var values: [SQLiteValue] = [
                .integer(first + Int64(index)), .integer(Number.change), .integer(1), .integer(change.kind.rawValue),
                .integer(entity.number), .integer(change.key.primaryKey), .integer(transaction), bits,
            ]
            values += try tombstoneColumns.indices.map { try tombstone($0, of: change, entity) }
            try insert.forEach(binding: values) { _ in true }
        }
    }

    private func tombstone(_ index: Int, of change: StoredChange, _ entity: EntityLayout) throws -> SQLiteValue {
        guard entity.history.preserved.indices.contains(index) else { return .null }
        let name = entity.history.preserved[index]
        guard let value = change.tombstone[name], let position = entity.positions[name] else { return .null }
        return try value.sqlite(as: entity.properties[position].type, of: name)
    }

    /// Reserves keys.
    /// - Returns: The first one.
    private func keys(_ count: Int, of table: Int64) throws -> Int64 {
        let most = try file.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?").first(table) {
            $0.integer(0) ?? 0
        }
        let (last, overflow) = max(0, most ?? 0).addingReportingOverflow(Int64(count))
        guard !overflow else { throw StoreFailure(.damaged, "the history has no numbers left") }
        try file.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?").run(last, table)
        return last - Int64(count) + 1
    }

    /// Returns the key of a text that many transactions share.
    private func string(_ text: String?) throws -> Int64? {
        guard let text else { return nil }
        let known = try file.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?").first(text) {
            $0.integer(0)
        }
        if let known { return known }
        let key = try keys(1, of: Number.string)
        try file.statement("INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, ?, 1, ?)").run(
            key, Number.string, text)
        return key
    }

    // MARK: - Reading and deleting

    /// The number of the last transaction that there ever was; 0 if there was none.
    func last() throws -> Int64 { try Self.last(in: file) }

    /// Returns the same number of a file.
    static func last(in file: StoreFile) throws -> Int64 {
        try file.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?").first(Number.transaction) {
            $0.integer(0) ?? 0
        } ?? 0
    }

    /// Whether transactions after a number have been deleted.
    func isExpired(_ number: Int64) throws -> Bool {
        let first = try file.statement("SELECT min(Z_PK) FROM ATRANSACTION").first { $0.integer(0) } ?? nil
        return try first.map { number &+ 1 < $0 } ?? (number < last())
    }

    /// Returns the transactions after a number, in order.
    func transactions(after number: Int64, includesChanges: Bool) throws -> [StoredTransaction] {
        func name(_ column: String) -> String {
            "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), t.\(column))"
        }
        let names = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"].map(name).joined(separator: ", ")
        var found = try file.statement(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(names) FROM ATRANSACTION t WHERE t.Z_PK > ? ORDER BY t.Z_PK"
        ).all(number) { row in
            StoredTransaction(
                number: row.integer(0) ?? 0, date: Date(timeIntervalSinceReferenceDate: row.real(1) ?? 0),
                origin: SaveOrigin(
                    author: row.text(2), contextName: row.text(3), bundleIdentifier: row.text(4), process: row.text(5)))
        }
        guard includesChanges else { return found }
        let changes = try changes(after: number)
        for index in found.indices { found[index].changes = changes[found[index].number] ?? [] }
        return found
    }

    private func changes(after number: Int64) throws -> [Int64: [StoredChange]] {
        let existing = try file.columnNames(of: "ACHANGE")
        let tombstones = tombstoneColumns.filter(existing.contains)
        let columns = ["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"] + tombstones
        let select = try file.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM ACHANGE WHERE ZTRANSACTIONID > ? ORDER BY ZTRANSACTIONID, Z_PK"
        )
        var found: [Int64: [StoredChange]] = [:]
        try select.forEach([number]) { row in
            // Entities that the model does not have, as after a migration, have no objects.
            guard let entity = layout.byNumber[row.integer(3) ?? 0] else { return true }
            guard let kind = StoredChange.Kind(rawValue: row.integer(2) ?? -1) else {
                throw StoreFailure(.damaged, "change \(row.integer(0) ?? 0) of the history is of no known kind")
            }
            let key = try RowKey(entity.name, stored: row.integer(4))
            var change = StoredChange(number: row.integer(0) ?? 0, key: key, kind: kind)
            if kind == .update { change.updated = row.blob(5).flatMap(entity.history.changed) }
            if kind == .delete {
                for (index, name) in entity.history.preserved.enumerated() where index < tombstones.count {
                    guard let position = entity.positions[name] else { continue }
                    let property = entity.properties[position]
                    let value = try property.value(in: row, at: 6 + index, layout, of: { "of a deleted row" })
                    if value != .null { change.tombstone[name] = value }
                }
            }
            found[row.integer(1) ?? 0, default: []].append(change)
            return true
        }
        return found
    }

    /// Deletes the transactions before a number.
    func delete(before number: Int64) throws {
        try file.connection.transaction {
            try file.statement("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?").run(number)
            try file.statement("DELETE FROM ATRANSACTION WHERE Z_PK < ?").run(number)
        }
    }

    /// Deletes the transactions before a date.
    func delete(before date: Date) throws {
        // Clocks are set back: what follows an older transaction stays with it.
        let first =
            try file.statement("SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?")
            .first(date.timeIntervalSinceReferenceDate) { $0.integer(0) } ?? nil
        try delete(before: first ?? .max)
    }
}
