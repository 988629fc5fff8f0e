import Foundation
import StratusSQLite

extension StoreTransformation {
    /// Copies the relationships that do not follow from copied columns: those with tables, those without an inverse,
    /// and those whose side with the column is new.
    func copyRelationships() throws {
        for pair in pairs {
            let entity = try destination.entity(pair.destination.name ?? "")
            let former = try source.entity(pair.source.name ?? "")
            for (name, formerName) in pair.properties.sorted(by: { $0.key < $1.key }) {
                guard let links = links(formerName, of: former) else { continue }
                if let relationship = entity.toMany[name] {
                    try copy(links, to: relationship, of: entity)
                } else if let position = entity.positions[name],
                    case .reference(let target) = entity.properties[position].type,
                    let inverse = entity.properties[position].inverse, try isNew(inverse, of: target),
                    let column = try property(inverse, of: target)
                {
                    try set(column.column, order: nil, of: try destination.entity(target).table, to: links, entity)
                }
            }
        }
    }

    private func property(_ name: String, of entity: String) throws -> PropertyLayout? {
        let layout = try destination.entity(entity)
        return layout.positions[name].map { layout.properties[$0] }
    }

    /// Whether no entity has a property from the source.
    private func isNew(_ property: String, of entity: String) throws -> Bool {
        try destination.entity(entity).family.allSatisfy { mapping.pairs[$0]?.properties[property] == nil }
    }

    /// Returns a query for the pairs of owners `o` and members `m` of a relationship in the source.
    private func links(_ name: String, of entity: EntityLayout) -> String? {
        if let relationship = entity.toMany[name] {
            switch relationship.place {
            case .column(let column, let order):
                guard let table = source.entities[relationship.destination]?.table else { return nil }
                return "SELECT \(quoted(column)) AS o, Z_PK AS m, \(order.map(quoted) ?? "NULL") AS position "
                    + "FROM \(former(table)) WHERE \(quoted(column)) IS NOT NULL"
            case .table(let table, let owner, let member, let order):
                return "SELECT \(quoted(owner)) AS o, \(quoted(member)) AS m, "
                    + "\(order.map(quoted) ?? "NULL") AS position FROM \(former(table))"
            }
        }
        guard let position = entity.positions[name], case .reference = entity.properties[position].type else {
            return nil
        }
        let column = quoted(entity.properties[position].column)
        return "SELECT Z_PK AS o, \(column) AS m, NULL AS position FROM \(former(entity.table)) "
            + "WHERE \(column) IS NOT NULL AND Z_ENT = \(entity.number)"
    }

    private func copy(_ links: String, to relationship: ToManyLayout, of entity: EntityLayout) throws {
        let target = try destination.entity(relationship.destination)
        switch relationship.place {
        case .column(let column, let order):
            if let inverse = relationship.inverse, try !isNew(inverse, of: target.name) { return }
            try set(column, order: order, of: target.table, to: links, entity)
        case .table(let table, let owner, let member, let order):
            try file.connection.execute(
                "INSERT OR IGNORE INTO \(quoted(table)) (\(quoted(owner)), \(quoted(member))) "
                    + "SELECT p.o, p.m FROM (\(links)) p WHERE \(exists("p.o", in: entity, [entity.number])) "
                    + "AND \(exists("p.m", in: target, try numbers(of: target)))")
            guard let order else { return }
            try file.connection.execute(
                "UPDATE \(quoted(table)) SET \(quoted(order)) = (SELECT p.position FROM (\(links)) p "
                    + "WHERE p.o = \(quoted(table)).\(quoted(owner)) AND p.m = \(quoted(table)).\(quoted(member))) "
                    + "WHERE \(exists("\(quoted(table)).\(quoted(owner))", in: entity, [entity.number]))")
        }
    }

    /// Writes the owner of each member to a column of the members.
    private func set(
        _ column: String, order: String?, of table: String, to links: String, _ entity: EntityLayout
    ) throws {
        try file.connection.execute(
            "CREATE TEMP TABLE stratus_links (m INTEGER PRIMARY KEY, o INTEGER, position INTEGER)")
        try file.connection.execute(
            "INSERT OR IGNORE INTO temp.stratus_links SELECT p.m, p.o, p.position FROM (\(links)) p "
                + "WHERE \(exists("p.o", in: entity, [entity.number]))")
        let assignments = [(column, "o")] + (order.map { [($0, "position")] } ?? [])
        let values = assignments.map { column, value in
            "\(quoted(column)) = (SELECT l.\(value) FROM temp.stratus_links l WHERE l.m = Z_PK)"
        }
        try file.connection.execute(
            "UPDATE \(quoted(table)) SET \(values.joined(separator: ", ")) "
                + "WHERE Z_PK IN (SELECT m FROM temp.stratus_links)")
        try file.connection.execute("DROP TABLE temp.stratus_links")
    }

    private func exists(_ key: String, in entity: EntityLayout, _ numbers: [Int64]) -> String {
        "EXISTS (SELECT 1 FROM \(quoted(entity.table)) e WHERE e.Z_PK = \(key) "
            + "AND e.Z_ENT IN (\(numbers.map(String.init).joined(separator: ", "))))"
    }

    private func numbers(of entity: EntityLayout) throws -> [Int64] {
        try entity.family.map { try destination.entity($0).number }
    }

    /// Clears references to rows that the new model has no place for, and writes the entities of the others.
    func clearReferences() throws {
        var done: Set<[String]> = []
        for entity in destination.entities.values {
            for property in entity.properties {
                guard case .reference(let name) = property.type,
                    done.insert([entity.table, property.column]).inserted
                else { continue }
                let target = try destination.entity(name)
                let (table, column) = (quoted(entity.table), quoted(property.column))
                let cleared = [property.column] + (property.orderColumn.map { [$0] } ?? [])
                try file.connection.execute(
                    "UPDATE \(table) SET \(cleared.map { quoted($0) + " = NULL" }.joined(separator: ", ")) "
                        + "WHERE \(column) IS NOT NULL "
                        + "AND NOT \(exists("\(table).\(column)", in: target, try numbers(of: target)))")
                guard let number = property.entityColumn else { continue }
                try file.connection.execute(
                    "UPDATE \(table) SET \(quoted(number)) = (SELECT e.Z_ENT FROM \(quoted(target.table)) e "
                        + "WHERE e.Z_PK = \(table).\(column)) WHERE \(column) IS NOT NULL")
            }
        }
    }
}
