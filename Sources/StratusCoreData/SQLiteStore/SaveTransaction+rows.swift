import Foundation
import StratusSQLite

// Rows and their external data.
extension SaveTransaction {
    func delete(_ key: RowKey) throws {
        let entity = try layout.entity(key.entity)
        try noteReplaced(Array(entity.properties.indices), of: key, entity)
        for relationship in entity.toMany.values {
            guard case .table(let name, let owner, let member, _) = relationship.place else { continue }
            try file.statement("DELETE FROM \(quoted(name)) WHERE \(quoted(owner)) = ?").run(key.primaryKey)
            guard owner == "REFLEXIVE" else { continue }
            try file.statement("DELETE FROM \(quoted(name)) WHERE \(quoted(member)) = ?").run(key.primaryKey)
        }
        try file.statement("DELETE FROM \(quoted(entity.table)) WHERE Z_PK = ?").run(key.primaryKey)
    }

    /// Adds the values of a property's columns.
    private func add(
        _ position: Int, of row: StoredRow, _ entity: EntityLayout, to columns: inout [SQLiteValue]
    ) throws {
        guard row.values.count == entity.properties.count, entity.properties.indices.contains(position) else {
            throw StoreFailure(.misuse, "a row of '\(entity.name)' has \(row.values.count) values")
        }
        let property = entity.properties[position]
        let value = row.values[position]
        columns.append(try sqlite(value, property))
        var number: Int64?
        if case .reference(let key) = value, case .reference(let name) = property.type {
            guard try layout.entity(name).family.contains(key.entity) else {
                throw StoreFailure(
                    .misuse, "'\(property.name)' of '\(entity.name)' cannot lead to a row of '\(key.entity)'")
            }
            number = try layout.entity(key.entity).number
        }
        if property.entityColumn != nil { columns.append(number.sqliteValue) }
    }

    /// Large data goes into a file of its own, if there is a place for it.
    private func sqlite(_ value: StoredValue, _ property: PropertyLayout) throws -> SQLiteValue {
        guard property.type == .externalData, let files = layout.external, case .data(let data) = value,
            data.count > ExternalFiles.threshold
        else { return try value.sqlite(as: property.type, of: property.name) }
        let name = try files.write(data)
        external.written.append(name)
        return .blob(ExternalData.inFile(name).bytes)
    }

    /// Notes the files of values that are about to be replaced.
    private func noteReplaced(_ positions: [Int], of key: RowKey, _ entity: EntityLayout) throws {
        for position in positions where entity.properties.indices.contains(position) {
            let property = entity.properties[position]
            guard property.type == .externalData else { continue }
            let bytes = try file.statement(
                "SELECT \(quoted(property.column)) FROM \(quoted(entity.table)) WHERE Z_PK = ?"
            ).first(key.primaryKey) { $0.blob(0) }
            if let bytes = bytes ?? nil, case .inFile(let name)? = ExternalData(bytes) {
                external.replaced.append(name)
            }
        }
    }

    /// Clears values of uniqueness constraints first, so that rows can exchange them.
    func clearConstraints(_ update: RowUpdate) throws {
        let entity = try layout.entity(update.row.key.entity)
        let positions = Set(entity.constraints.flatMap(\.positions)).intersection(update.changed)
        guard !positions.isEmpty else { return }
        let assignments = positions.sorted().map { quoted(entity.properties[$0].column) + " = NULL" }
        try file.statement(
            "UPDATE \(quoted(entity.table)) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?"
        ).run(update.row.key.primaryKey)
    }

    func update(_ update: RowUpdate) throws -> Int64 {
        let entity = try layout.entity(update.row.key.entity)
        try noteReplaced(update.changed, of: update.row.key, entity)
        var values: [SQLiteValue] = []
        for position in update.changed { try add(position, of: update.row, entity, to: &values) }
        let (version, overflow) = update.row.version.addingReportingOverflow(1)
        guard !overflow else {
            throw StoreFailure(.damaged, "'\(entity.name)' \(update.row.key.primaryKey) has no version left")
        }
        let columns = update.changed.flatMap { entity.properties[$0].ownColumns }
        let assignments = (columns + ["Z_OPT"]).map { quoted($0) + " = ?" }
        values += [.integer(version), .integer(update.row.key.primaryKey)]
        try file.statement("UPDATE \(quoted(entity.table)) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
            .forEach(binding: values) { _ in true }
        return version
    }

    func insert(_ rows: [StoredRow]) throws {
        var current: (entity: EntityLayout, statement: SQLiteStatement)?
        var values: [SQLiteValue] = []
        for row in rows {
            if current?.entity.name != row.key.entity {
                let entity = try layout.entity(row.key.entity)
                current = (entity, try file.statement(store.statements(of: entity).insert))
            }
            guard let (entity, statement) = current else { return }
            values.removeAll(keepingCapacity: true)
            values += [.integer(row.key.primaryKey), .integer(entity.number), .integer(SavedRows.firstVersion)]
            for position in entity.properties.indices { try add(position, of: row, entity, to: &values) }
            try statement.forEach(binding: values) { _ in true }
        }
    }
}
