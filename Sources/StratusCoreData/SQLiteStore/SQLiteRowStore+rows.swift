import Foundation
import StratusSQLite

// Keys, single rows and the destinations of relationships.
extension SQLiteRowStore {
    func obtainKeys(_ counts: [String: Int]) throws -> [String: [RowKey]] {
        try access { file in
            try file.connection.transaction {
                var keys: [String: [RowKey]] = [:]
                for (name, count) in counts where count > 0 {
                    let entity = try layout.entity(name)
                    guard !entity.isAbstract else {
                        throw StoreFailure(.misuse, "entity '\(name)' is abstract and has no rows")
                    }
                    let root = try layout.entity(entity.root)
                    let most =
                        try file.statement(
                            "SELECT max(coalesce(Z_MAX, 0), "
                                + "coalesce((SELECT max(Z_PK) FROM \(quoted(entity.table))), 0)) "
                                + "FROM Z_PRIMARYKEY WHERE Z_ENT = ?"
                        ).first(root.number) { $0.integer(0) ?? 0 } ?? 0
                    let (last, overflow) = most.addingReportingOverflow(Int64(count))
                    guard !overflow, most >= 0 else {
                        throw StoreFailure(.damaged, "'\(name)' has no primary keys left")
                    }
                    try file.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?").run(last, root.number)
                    keys[name] = (most + 1...last).map { RowKey(entity: name, primaryKey: $0) }
                }
                return keys
            }
        }
    }

    func row(_ key: RowKey) throws -> StoredRow? { try read { try row(key, in: $0) } }

    func rows(_ keys: [RowKey]) throws -> [RowKey: StoredRow] {
        try read { file in
            var found: [RowKey: StoredRow] = [:]
            found.reserveCapacity(keys.count)
            for (name, keys) in Dictionary(grouping: keys, by: \.entity) {
                let entity = try layout.entity(name)
                let statements = statements(of: entity)
                let select = try file.statement(statements.select)
                for key in keys {
                    try select.forEach(binding: [.integer(key.primaryKey), .integer(entity.number)]) { row in
                        found[key] = try statements.reader.row(row)
                        return false
                    }
                }
            }
            return found
        }
    }

    func destinations(of relationship: String, from key: RowKey) throws -> [RowKey] {
        guard let toMany = try layout.entity(key.entity).toMany[relationship] else {
            throw StoreFailure(.misuse, "'\(relationship)' is not a stored to-many relationship of '\(key.entity)'")
        }
        let destination = try layout.entity(toMany.destination)
        let table = quoted(destination.table)
        let source: String
        let order: String?
        switch toMany.place {
        case .column(let column, let orderColumn):
            source = "FROM \(table) d WHERE d.\(quoted(column)) = ?"
            order = orderColumn.map { "d." + quoted($0) }
        case .table(let name, let owner, let member, let orderColumn):
            source =
                "FROM \(quoted(name)) j JOIN \(table) d ON d.Z_PK = j.\(quoted(member)) WHERE j.\(quoted(owner)) = ?"
            order = orderColumn.map { "j." + quoted($0) }
        }
        let sort = (order.map { [$0] } ?? []) + ["d.Z_PK"]
        return try access { file in
            try file.statement("SELECT d.Z_ENT, d.Z_PK \(source) ORDER BY \(sort.joined(separator: ", "))")
                .all(key.primaryKey) { row in
                    guard let entity = layout.entity(ofRow: row.integer(0)), destination.family.contains(entity.name)
                    else {
                        throw StoreFailure(
                            .damaged, "'\(relationship)' leads to a row of an entity that it cannot lead to")
                    }
                    return try RowKey(entity.name, stored: row.integer(1))
                }
        }
    }

    func row(_ key: RowKey, in file: StoreFile) throws -> StoredRow? {
        let entity = try layout.entity(key.entity)
        let statements = statements(of: entity)
        var found: StoredRow?
        let values: [SQLiteValue] = [.integer(key.primaryKey), .integer(entity.number)]
        try file.statement(statements.select).forEach(binding: values) { row in
            found = try statements.reader.row(row)
            return false
        }
        return found
    }

    /// Returns the SQL for single rows of an entity of the layout.
    func statements(of entity: EntityLayout) -> EntityStatements {
        entityStatements[entity.name] ?? EntityStatements(entity, layout)
    }
}
