import Foundation
import StratusCompatibility
import StratusSQLite

extension SQLiteRowStore {
    func fetch(_ plan: FetchPlan) throws -> FetchedRows {
        let statement = try FetchStatement(plan, self)
        return try read { file in
            switch plan.result {
            case .count: return .count(try statement.count(in: file))
            case .keys: return .keys(try statement.keys(in: file))
            case .dictionaries: return .dictionaries(try statement.dictionaries(in: file))
            case .rows: return .rows(try statement.rows(in: file))
            }
        }
    }
}

/// A fetch in SQL.
private struct FetchStatement {
    private let layout: StoreLayout
    private let source: String
    private let alias: String
    private let values: [SQLiteValue]
    /// Reads whole rows.
    private let reader: RowReader
    /// The columns of dictionaries.
    private var columns: [DictionaryColumn] = []
    private var isDistinct = false

    init(_ plan: FetchPlan, _ store: SQLiteRowStore) throws {
        guard plan.limit >= 0, plan.offset >= 0 else { throw FetchFailure("the limit or offset is negative") }
        if case .dictionaries(let dictionaries) = plan.result, dictionaries.columns.isEmpty {
            throw FetchFailure("a fetch of dictionaries needs properties to fetch")
        }
        layout = store.layout
        let entity = try layout.entity(plan.entity)
        let translation = FetchTranslation(layout: layout)
        // The first scope has the alias of the readers.
        let scope = translation.scope(entity)
        let statements = store.statements(of: entity)
        var condition = plan.includesSubentities ? statements.isOfFamily : statements.isOfEntity
        if let predicate = plan.predicate { condition += " AND " + (try translation.condition(predicate, in: scope)) }
        var groups = ""
        if case .dictionaries(let dictionaries) = plan.result {
            columns = try dictionaries.columns.map {
                try DictionaryColumn($0.name, $0.expression, translation, scope)
            }
            isDistinct = dictionaries.isDistinct
            groups = try Self.groups(dictionaries, translation, scope)
        }
        var order = try plan.sortKeys.map { try Self.order($0, translation, scope) }
        if columns.isEmpty { order.append(scope.alias + ".Z_PK") }
        // Parts are joined without interpolations, which would take much of the time of a small fetch.
        var sql = statements.source + scope.joins + " WHERE " + condition + groups
        if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
        if plan.limit > 0 || plan.offset > 0 {
            sql += " LIMIT \(plan.limit == 0 ? -1 : plan.limit) OFFSET \(plan.offset)"
        }
        source = sql
        alias = scope.alias
        values = translation.values
        reader = plan.includesSubentities ? statements.familyReader : statements.reader
    }

    /// Returns `GROUP BY` and `HAVING`. Sort keys that follow can be names of columns, too.
    private static func groups(
        _ dictionaries: FetchPlan.Dictionaries, _ translation: FetchTranslation, _ scope: SQLScope
    ) throws -> String {
        for column in dictionaries.columns where column.expression != .keyPath(column.name) {
            translation.named[column.name] = column.expression
        }
        translation.isGrouped = true
        let keys = try dictionaries.groupBy.map { path in
            guard case .scalar(let sql, _) = try translation.term(.keyPath(path), in: scope) else {
                throw FetchFailure("'\(path)' has several values; results cannot be grouped by it")
            }
            return sql
        }
        guard let having = dictionaries.having else {
            return keys.isEmpty ? "" : " GROUP BY \(keys.joined(separator: ", "))"
        }
        guard !keys.isEmpty else { throw FetchFailure("a predicate for groups needs properties to group by") }
        return " GROUP BY \(keys.joined(separator: ", ")) HAVING \(try translation.condition(having, in: scope))"
    }

    private static func order(
        _ key: FetchPlan.SortKey, _ translation: FetchTranslation, _ scope: SQLScope
    ) throws -> String {
        guard case .scalar(let sql, let kind) = try translation.term(.keyPath(key.keyPath), in: scope) else {
            throw FetchFailure("sort key '\(key.keyPath)' leads to several values")
        }
        let collation = kind == .string ? " COLLATE \(key.order.collation)" : ""
        return sql + collation + (key.isAscending ? "" : " DESC")
    }

    func count(in file: StoreFile) throws -> Int {
        var count = 0
        try forEach("count(*) FROM (SELECT 1 \(source))", in: file) { count = Int($0.integer(0) ?? 0) }
        return count
    }

    func keys(in file: StoreFile) throws -> [RowKey] {
        var keys: [RowKey] = []
        try forEach("\(alias).Z_ENT, \(alias).Z_PK " + source, in: file) { row in
            guard let entity = layout.entity(ofRow: row.integer(0)) else {
                throw StoreFailure(.damaged, "a row is of an entity that has no rows")
            }
            keys.append(try RowKey(entity.name, stored: row.integer(1)))
        }
        return keys
    }

    func rows(in file: StoreFile) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEach(reader.columns + " " + source, in: file) { rows.append(try reader.row($0)) }
        return rows
    }

    func dictionaries(in file: StoreFile) throws -> [[String: StoredValue]] {
        var found: [[String: StoredValue]] = []
        let selected = columns.flatMap(\.sql).joined(separator: ", ")
        try forEach((isDistinct ? "DISTINCT " : "") + selected + " " + source, in: file) { row in
            var (values, position): ([String: StoredValue], Int) = ([:], 0)
            for column in columns {
                values[column.name] = try column.value(in: row, at: position, layout)
                position += column.sql.count
            }
            found.append(values)
        }
        return found
    }

    private func forEach(_ selected: String, in file: StoreFile, _ body: (SQLiteRow) throws -> Void) throws {
        let statement = try file.statement("SELECT " + selected)
        // Constants of conditions that can never hold are in no SQL.
        try statement.forEach(binding: Array(values.prefix(statement.parameterCount))) {
            try body($0)
            return true
        }
    }
}

extension TextOrder {
    var collation: String { "stratus_\(self)" }

    /// Adds the orders to SQL.
    static func addAll(to connection: SQLiteConnection) throws {
        for order in allCases {
            try connection.addCollation(order.collation) { order.compare($0, $1).rawValue }
        }
    }
}
