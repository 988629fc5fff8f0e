import Foundation
import StratusCompatibility
import StratusSQLite

extension SQLiteRowStore {
    func fetch(_ plan: FetchPlan) throws -> FetchedRows {
        let statement = try FetchStatement(plan, layout)
        return try access { file in
            switch plan.result {
            case .count: return .count(try statement.count(in: file))
            case .keys: return .keys(try statement.keys(in: file))
            case .rows:
                if let reader = statement.reader { return .rows(try statement.rows(reader, in: file)) }
                return .rows(try statement.keys(in: file).compactMap { try row($0, in: file) })
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
    /// Reads whole rows, if they are all of one entity.
    let reader: RowReader?

    init(_ plan: FetchPlan, _ layout: StoreLayout) throws {
        guard plan.limit >= 0, plan.offset >= 0 else { throw FetchFailure("the limit or offset is negative") }
        self.layout = layout
        let entity = try layout.entity(plan.entity)
        let translation = FetchTranslation(layout: layout)
        let scope = translation.scope(entity)
        let family = try (plan.includesSubentities ? entity.family : [entity.name]).map(layout.entity)
        let numbers = family.map { String($0.number) }.joined(separator: ", ")
        var conditions = ["\(scope.alias).Z_ENT IN (\(numbers))"]
        if let predicate = plan.predicate { conditions.append(try translation.condition(predicate, in: scope)) }
        var order = try plan.sortKeys.map { try Self.order($0, translation, scope) }
        order.append("\(scope.alias).Z_PK")
        source =
            "FROM \(quoted(entity.table)) \(scope.alias)\(scope.joins) "
            + "WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order.joined(separator: ", ")) "
            + "LIMIT \(plan.limit == 0 ? -1 : plan.limit) OFFSET \(plan.offset)"
        alias = scope.alias
        values = translation.values
        reader = family.count == 1 ? RowReader(entity: entity, layout: layout, alias: scope.alias) : nil
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
        try file.statement("SELECT count(*) FROM (SELECT 1 \(source))").forEach(values) {
            count = Int($0.integer(0) ?? 0)
            return false
        }
        return count
    }

    func keys(in file: StoreFile) throws -> [RowKey] {
        var keys: [RowKey] = []
        try file.statement("SELECT \(alias).Z_ENT, \(alias).Z_PK \(source)").forEach(values) { row in
            guard let entity = layout.byNumber[row.integer(0) ?? 0] else { return true }
            keys.append(RowKey(entity: entity.name, primaryKey: row.integer(1) ?? 0))
            return true
        }
        return keys
    }

    func rows(_ reader: RowReader, in file: StoreFile) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try file.statement("SELECT \(reader.columns.joined(separator: ", ")) \(source)").forEach(values) {
            rows.append(try reader.row($0))
            return true
        }
        return rows
    }
}

extension FetchPlan.SortKey.Order {
    var collation: String { "stratus_\(self)" }

    func compare(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .plain: PredicateTextRelation.order(left, right)
        case .caseInsensitive: left.compare(right, options: .caseInsensitive)
        case .localized: left.compare(right, locale: .current)
        case .localizedCaseInsensitive: left.compare(right, options: .caseInsensitive, locale: .current)
        case .localizedStandard:
            left.compare(
                right, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering], locale: .current)
        }
    }

    /// Adds the orders to SQL.
    static func addAll(to connection: SQLiteConnection) throws {
        for order in allCases {
            try connection.addCollation(order.collation) { order.compare($0, $1).rawValue }
        }
    }
}
