import Foundation
import StratusCompatibility
import StratusSQLite

/// Computes the derived attributes that depend on the rows of a save.
///
/// Apple's Core Data does it with triggers that call functions of its own. They would keep other programs from writing to
/// the file, so the values are computed here.
struct DerivedColumns {
    private let layout: StoreLayout
    private let file: StoreFile
    private let toMany: [ToManyChange]
    /// The rows of the save, by entity.
    private let changed: Rows
    /// The derived attributes, each after those that its value depends on.
    private let attributes: [(entity: EntityLayout, attribute: DerivedLayout)]
    /// The rows to compute again.
    private var affected: [DerivedKey: Set<Int64>] = [:]

    private typealias Rows = [String: Set<Int64>]

    /// Takes the rows that a save is about to write.
    init(_ changes: RowChanges, _ layout: StoreLayout, _ file: StoreFile) throws {
        attributes = try layout.derivedInOrder()
        self.layout = layout
        self.file = file
        toMany = changes.toMany
        guard !attributes.isEmpty else {
            changed = [:]
            return
        }
        let keys =
            changes.inserted.map(\.key) + changes.updated.map(\.row.key) + changes.deleted.map(\.key)
            + changes.toMany.map(\.owner)
        var changed: Rows = [:]
        for key in keys { changed[key.entity, default: []].insert(key.primaryKey) }
        self.changed = changed
    }

    /// Notes the rows that depend on those of the save. Called before the rows are written and after, as both the former
    /// and the new owners of a row depend on it.
    mutating func note() throws {
        for (entity, derived) in attributes {
            var rows = Self.rows(of: entity, in: changed)
            for path in derived.paths {
                var changed = changed
                // Values that change with the save are changes, too.
                for (owner, other) in try layout.derived(at: path, of: entity) {
                    let key = DerivedKey(entity: owner.name, position: other.position)
                    changed[owner.name, default: []].formUnion(affected[key] ?? [])
                }
                rows.formUnion(try dependents(of: entity, FetchTranslation.keys(path), on: changed))
            }
            affected[DerivedKey(entity: entity.name, position: derived.position), default: []].formUnion(rows)
        }
    }

    private static func rows(of entity: EntityLayout, in changed: Rows) -> Set<Int64> {
        entity.family.reduce(into: Set()) { $0.formUnion(changed[$1] ?? []) }
    }

    /// The rows of an entity from which keys lead to changed rows.
    private func dependents(
        of entity: EntityLayout, _ keys: ArraySlice<String>, on changed: Rows
    ) throws -> Set<Int64> {
        var rows = Self.rows(of: entity, in: changed)
        guard let key = keys.first else { return rows }
        let rest = keys.dropFirst()
        if let relationship = entity.toMany[key] {
            let members = try dependents(of: try layout.entity(relationship.destination), rest, on: changed)
            rows.formUnion(try owners(of: members, relationship))
        } else if let position = entity.positions[key],
            case .reference(let destination) = entity.properties[position].type
        {
            let members = try dependents(of: try layout.entity(destination), rest, on: changed)
            let column = quoted(entity.properties[position].column)
            rows.formUnion(try rowsFound("SELECT Z_PK FROM \(quoted(entity.table)) WHERE \(column) IN", members))
        }
        return rows
    }

    private func owners(of members: Set<Int64>, _ relationship: ToManyLayout) throws -> Set<Int64> {
        var owners: Set<Int64> = []
        switch relationship.place {
        case .column(let column, _):
            let table = quoted(try layout.entity(relationship.destination).table)
            owners = try rowsFound("SELECT \(quoted(column)) FROM \(table) WHERE Z_PK IN", members)
        case .table(let table, let owner, let member, _):
            owners = try rowsFound(
                "SELECT \(quoted(owner)) FROM \(quoted(table)) WHERE \(quoted(member)) IN", members)
        }
        // The other side of a relationship may be the one whose change is given.
        for change in toMany where change.relationship == relationship.inverse {
            owners.formUnion((change.added + change.removed).map(\.primaryKey))
        }
        return owners
    }

    private func rowsFound(_ select: String, _ keys: Set<Int64>) throws -> Set<Int64> {
        guard !keys.isEmpty else { return [] }
        let found = try file.statement("\(select) (SELECT value FROM json_each(?))").all(Self.list(keys)) {
            $0.integer(0)
        }
        return Set(found.compactMap { $0 })
    }

    private static func list(_ keys: Set<Int64>) -> String {
        "[\(keys.map(String.init).joined(separator: ","))]"
    }

    /// Computes the values.
    /// - Returns: The rows that may have new ones, as they are now.
    func compute(_ read: (RowKey) throws -> StoredRow?) throws -> [RowKey: StoredRow] {
        var keys: Set<RowKey> = []
        for (entity, derived) in attributes {
            let key = DerivedKey(entity: entity.name, position: derived.position)
            guard let rows = affected[key], !rows.isEmpty else { continue }
            try compute(derived, of: entity, rows)
            let numbers = try rowsFound(
                "SELECT Z_PK FROM \(quoted(entity.table)) WHERE Z_ENT = \(entity.number) AND Z_PK IN", rows)
            keys.formUnion(numbers.map { RowKey(entity: entity.name, primaryKey: $0) })
        }
        var found: [RowKey: StoredRow] = [:]
        for key in keys { found[key] = try read(key) }
        return found
    }

    private func compute(_ derived: DerivedLayout, of entity: EntityLayout, _ rows: Set<Int64>) throws {
        let translation = FetchTranslation(layout: layout)
        let scope = translation.scope(entity)
        let property = entity.properties[derived.position]
        let value: String
        do {
            switch try translation.term(derived.expression, in: scope) {
            case .scalar(let sql, _): value = sql
            case .constant(let constant):
                value = try translation.bind(SQLKind(property.type).sqlite(constant) ?? .null)
            case .collection, .list: throw FetchFailure("it has several values")
            }
        } catch let failure as FetchFailure {
            throw StoreFailure(
                .unsupported, "'\(property.name)' of '\(entity.name)' cannot be derived: \(failure.description)")
        }
        let table = quoted(entity.table)
        let parameter = try translation.bind(.text(Self.list(rows)))
        let statement = try file.statement(
            "UPDATE \(table) SET \(quoted(property.column)) = "
                + "(SELECT \(value) FROM \(table) \(scope.alias)\(scope.joins) WHERE \(scope.alias).Z_PK = \(table).Z_PK) "
                + "WHERE Z_ENT = \(entity.number) AND Z_PK IN (SELECT value FROM json_each(\(parameter)))")
        try statement.forEach(binding: Array(translation.values.prefix(statement.parameterCount))) { _ in true }
    }

    /// Rows whose values are computed in one statement.
    private static let portion = 10_000

    /// Computes an attribute of all rows of an entity.
    func computeAll(_ derived: DerivedLayout, of entity: EntityLayout) throws {
        var last = Int64.min
        while true {
            let keys = try file.statement(
                "SELECT Z_PK FROM \(quoted(entity.table)) WHERE Z_ENT = ? AND Z_PK > ? ORDER BY Z_PK LIMIT ?"
            ).all(entity.number, last, Int64(Self.portion)) { $0.integer(0) ?? 0 }
            guard let end = keys.last else { return }
            try compute(derived, of: entity, Set(keys))
            last = end
        }
    }
}
