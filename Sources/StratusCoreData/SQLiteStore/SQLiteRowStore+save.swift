import Foundation
import StratusSQLite

extension SQLiteRowStore {
    func save(_ changes: RowChanges) throws -> SavedRows {
        guard !isReadOnly else {
            throw StoreFailure(.readOnly, "the store is read-only, or has a history that is not to be kept")
        }
        return try access { file in
            let external = ExternalChanges()
            do {
                let saved = try file.connection.transaction {
                    try SaveTransaction(layout: layout, file: file, store: self, external: external).run(changes)
                }
                layout.external?.remove(external.replaced)
                return saved
            } catch {
                layout.external?.remove(external.written)
                throw error
            }
        }
    }
}

/// The files with external data that a save writes and those that it replaces.
private final class ExternalChanges {
    var written: [String] = []
    var replaced: [String] = []
}

/// One save. Whatever it throws undoes all of it.
private struct SaveTransaction {
    let layout: StoreLayout
    let file: StoreFile
    let store: SQLiteRowStore
    let external: ExternalChanges

    func run(_ changes: RowChanges) throws -> SavedRows {
        try checkVersions(changes)
        let history = store.recordsHistory ? try historyOf(changes) : []
        var derived = DerivedColumns(changes, layout, file)
        try derived.note()
        for deletion in changes.deleted { try delete(deletion.key) }
        try checkUniqueness(changes)
        for update in changes.updated { try clearConstraints(update) }
        var versions: [RowKey: Int64] = [:]
        for update in changes.updated { versions[update.row.key] = try self.update(update) }
        for row in changes.inserted { versions[row.key] = try insert(row) }
        for change in changes.toMany { try apply(change) }
        if store.recordsHistory {
            try HistoryTables(file: file, layout: layout).add(history, changes.origin, at: Date())
        }
        try derived.note()
        return SavedRows(versions: versions, derived: try derived.compute { try store.row($0, in: file) })
    }

    /// Returns the changes as the history has them. Called before rows are deleted, for their tombstones.
    private func historyOf(_ changes: RowChanges) throws -> [StoredChange] {
        var updated: [RowKey: Set<String>] = [:]
        for update in changes.updated {
            let entity = try layout.entity(update.row.key.entity)
            let names = update.changed.filter(entity.properties.indices.contains).map { entity.properties[$0].name }
            // Of a composite attribute the whole is named.
            updated[update.row.key, default: []].formUnion(names.map { String($0.prefix { $0 != "." }) })
        }
        let others = Set(changes.inserted.map(\.key) + changes.deleted.map(\.key))
        for change in changes.toMany where !others.contains(change.owner) {
            updated[change.owner, default: []].insert(change.relationship)
        }
        let deletions = try changes.deleted.map { deletion in
            let preserved = try layout.entity(deletion.key.entity).history.preserved
            let row = preserved.isEmpty ? nil : try store.row(deletion.key, in: file)
            var change = StoredChange(key: deletion.key, kind: .delete)
            for name in preserved {
                guard let position = try layout.entity(deletion.key.entity).positions[name] else { continue }
                if let value = row?.values[position], value != .null { change.tombstone[name] = value }
            }
            return change
        }
        let updates = updated.sorted { ($0.key.entity, $0.key.primaryKey) < ($1.key.entity, $1.key.primaryKey) }
        return changes.inserted.map { StoredChange(key: $0.key, kind: .insert) }
            + updates.map { StoredChange(key: $0.key, kind: .update, updated: $0.value) } + deletions
    }

    private func checkVersions(_ changes: RowChanges) throws {
        let expected =
            changes.updated.map { ($0.row.key, $0.row.version) } + changes.deleted.map { ($0.key, $0.version) }
        var conflicts: [RowConflict] = []
        for (key, version) in expected {
            let entity = try layout.entity(key.entity)
            let current = try file.statement(
                "SELECT Z_OPT FROM \(quoted(entity.table)) WHERE Z_PK = ? AND Z_ENT = ?"
            ).first(key.primaryKey, entity.number) { $0.integer(0) ?? 0 }
            guard current != version else { continue }
            conflicts.append(RowConflict(key: key, expected: version, stored: try store.row(key, in: file)))
        }
        guard conflicts.isEmpty else { throw SaveFailure.conflicts(conflicts) }
    }

    private func delete(_ key: RowKey) throws {
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

    /// The columns of a property and their values.
    private func columns(_ position: Int, of row: StoredRow, _ entity: EntityLayout) throws -> [(String, SQLiteValue)] {
        guard row.values.count == entity.properties.count, entity.properties.indices.contains(position) else {
            throw StoreFailure(.misuse, "a row of '\(entity.name)' has \(row.values.count) values")
        }
        let property = entity.properties[position]
        let value = row.values[position]
        var columns = [(property.column, try sqlite(value, property))]
        var number: Int64?
        if case .reference(let key) = value, case .reference(let name) = property.type {
            guard try layout.entity(name).family.contains(key.entity) else {
                throw StoreFailure(
                    .misuse, "'\(property.name)' of '\(entity.name)' cannot lead to a row of '\(key.entity)'")
            }
            number = try layout.entity(key.entity).number
        }
        if let column = property.entityColumn { columns.append((column, number.sqliteValue)) }
        return columns
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
    private func clearConstraints(_ update: RowUpdate) throws {
        let entity = try layout.entity(update.row.key.entity)
        let positions = Set(entity.constraints.flatMap(\.positions)).intersection(update.changed)
        guard !positions.isEmpty else { return }
        let assignments = positions.sorted().map { quoted(entity.properties[$0].column) + " = NULL" }
        try file.statement(
            "UPDATE \(quoted(entity.table)) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?"
        ).run(update.row.key.primaryKey)
    }

    private func update(_ update: RowUpdate) throws -> Int64 {
        let entity = try layout.entity(update.row.key.entity)
        try noteReplaced(update.changed, of: update.row.key, entity)
        let columns = try update.changed.flatMap { try self.columns($0, of: update.row, entity) }
        let (version, overflow) = update.row.version.addingReportingOverflow(1)
        guard !overflow else {
            throw StoreFailure(.damaged, "'\(entity.name)' \(update.row.key.primaryKey) has no version left")
        }
        let assignments = ["Z_OPT = ?"] + columns.map { quoted($0.0) + " = ?" }
        let values = [SQLiteValue.integer(version)] + columns.map(\.1) + [.integer(update.row.key.primaryKey)]
        try file.statement("UPDATE \(quoted(entity.table)) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
            .forEach(values) { _ in true }
        return version
    }

    private func insert(_ row: StoredRow) throws -> Int64 {
        let entity = try layout.entity(row.key.entity)
        let columns = try entity.properties.indices.flatMap { try self.columns($0, of: row, entity) }
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.0)
        let values = [.integer(row.key.primaryKey), .integer(entity.number), .integer(1)] + columns.map(\.1)
        try file.statement(
            "INSERT INTO \(quoted(entity.table)) (\(names.map(quoted).joined(separator: ", "))) "
                + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
        ).forEach(values) { _ in true }
        return 1
    }

    private func apply(_ change: ToManyChange) throws {
        guard let relationship = try layout.entity(change.owner.entity).toMany[change.relationship] else {
            throw StoreFailure(
                .misuse, "'\(change.relationship)' is not a stored to-many relationship of '\(change.owner.entity)'")
        }
        let destination = try layout.entity(relationship.destination)
        for key in change.added + (change.order ?? []) where !destination.family.contains(key.entity) {
            throw StoreFailure(.misuse, "'\(change.relationship)' cannot lead to a row of '\(key.entity)'")
        }
        let owner = change.owner.primaryKey
        switch relationship.place {
        case .column(let column, let order):
            let table = quoted(destination.table)
            let column = quoted(column)
            if relationship.inverse == nil {
                let remove = try file.statement(
                    "UPDATE \(table) SET \(column) = NULL WHERE Z_PK = ? AND \(column) = ?")
                for key in change.removed { try remove.run(key.primaryKey, owner) }
                let add = try file.statement("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
                for key in change.added { try add.run(owner, key.primaryKey) }
            }
            guard let order else { return }
            let place = try file.statement(
                "UPDATE \(table) SET \(quoted(order)) = ? WHERE Z_PK = ? AND \(column) = ?")
            for (index, key) in (change.order ?? []).enumerated() {
                try place.run(Self.place(index), key.primaryKey, owner)
            }
        case .table(let name, let ownerColumn, let memberColumn, let order):
            try apply(change, to: name, ownerColumn, memberColumn, order)
        }
    }

    private func apply(
        _ change: ToManyChange, to table: String, _ owner: String, _ member: String, _ order: String?
    ) throws {
        let here = change.owner.primaryKey
        let remove = try file.statement(
            "DELETE FROM \(quoted(table)) WHERE \(quoted(owner)) = ? AND \(quoted(member)) = ?")
        let add = try file.statement(
            "INSERT OR IGNORE INTO \(quoted(table)) (\(quoted(owner)), \(quoted(member))) VALUES (?, ?)")
        // A relationship that is its own inverse has each pair in both directions.
        let isReflexive = owner == "REFLEXIVE"
        for key in change.removed {
            try remove.run(here, key.primaryKey)
            if isReflexive { try remove.run(key.primaryKey, here) }
        }
        for key in change.added {
            try add.run(here, key.primaryKey)
            if isReflexive { try add.run(key.primaryKey, here) }
        }
        guard let order else { return }
        let place = try file.statement(
            "UPDATE \(quoted(table)) SET \(quoted(order)) = ? WHERE \(quoted(owner)) = ? AND \(quoted(member)) = ?")
        for (index, key) in (change.order ?? []).enumerated() { try place.run(Self.place(index), here, key.primaryKey) }
    }

    /// The stored place of a member. Apple's Core Data leaves room between places, too.
    private static func place(_ index: Int) -> Int64 { 2_048 + Int64(index) * 1_024 }
}

// MARK: - Uniqueness
extension SaveTransaction {
    /// Values that only one row may have.
    private struct Claim: Hashable {
        let constraint: EntityLayout.Constraint
        let values: [StoredValue]
    }

    private func checkUniqueness(_ changes: RowChanges) throws {
        var claims: [Claim: [RowKey]] = [:]
        // Rows whose stored values are about to be replaced.
        var changing: [EntityLayout.Constraint: Set<RowKey>] = [:]
        let rows =
            changes.inserted.map { ($0, Set($0.values.indices)) } + changes.updated.map { ($0.row, Set($0.changed)) }
        for (row, changed) in rows {
            for constraint in try layout.entity(row.key.entity).constraints
            where !changed.isDisjoint(with: constraint.positions) {
                changing[constraint, default: []].insert(row.key)
                guard constraint.positions.allSatisfy({ row.values.indices.contains($0) }) else {
                    throw StoreFailure(.misuse, "a row of '\(row.key.entity)' has \(row.values.count) values")
                }
                let values = constraint.positions.map { row.values[$0] }
                // Rows without a value do not conflict.
                guard !values.contains(.null) else { continue }
                claims[Claim(constraint: constraint, values: values), default: []].append(row.key)
            }
        }
        var conflicts: [UniquenessConflict] = []
        for (claim, keys) in claims {
            let stored = try self.stored(claim, except: changing[claim.constraint] ?? [])
            guard keys.count > 1 || stored != nil else { continue }
            let entity = try layout.entity(claim.constraint.entity)
            conflicts.append(
                UniquenessConflict(
                    entity: entity.name, attributes: claim.constraint.positions.map { entity.properties[$0].name },
                    values: claim.values, saved: keys, stored: stored))
        }
        guard conflicts.isEmpty else { throw SaveFailure.uniqueness(conflicts) }
    }

    private func stored(_ claim: Claim, except changing: Set<RowKey>) throws -> StoredRow? {
        let entity = try layout.entity(claim.constraint.entity)
        let properties = claim.constraint.positions.map { entity.properties[$0] }
        let values = try zip(claim.values, properties).map { try $0.sqlite(as: $1.type, of: $1.name) }
        var keys: [RowKey] = []
        try file.statement(
            "SELECT Z_ENT, Z_PK FROM \(quoted(entity.table)) "
                + "WHERE \(properties.map { quoted($0.column) + " = ?" }.joined(separator: " AND "))"
        ).forEach(values) { row in
            guard let own = layout.byNumber[row.integer(0) ?? 0], entity.family.contains(own.name) else { return true }
            keys.append(try RowKey(own.name, stored: row.integer(1)))
            return true
        }
        let other = keys.first { !changing.contains($0) }
        return try other.flatMap { try store.row($0, in: file) }
    }
}
