import Foundation

// To-many relationships, and the tables of those between many and many.
extension StoreLayoutBuilder {
    mutating func addRelationships() throws {
        for entity in entities {
            for case let relationship as NSRelationshipDescription in entity.properties
            where relationship.entity === entity && relationship.isToMany && !relationship.isTransient {
                guard let destination = relationship.destinationEntity.flatMap({ byName[$0.name ?? ""] }) else {
                    continue
                }
                try Self.check(relationship.name, "relationship")
                toMany[entity.name ?? "", default: [:]][relationship.name] = ToManyLayout(
                    name: relationship.name, destination: destination.name ?? "",
                    inverse: relationship.inverseRelationship?.name, isOrdered: relationship.isOrdered,
                    place: try place(of: relationship, from: entity, to: destination))
            }
        }
    }

    mutating func place(
        of relationship: NSRelationshipDescription, from entity: NSEntityDescription,
        to destination: NSEntityDescription
    ) throws -> ToManyLayout.Place {
        guard let inverse = relationship.inverseRelationship else {
            // The destinations keep their owner, as with an inverse that has no name.
            let base = "\(try number(entity))\(relationship.name.uppercased())"
            let root = root(of: destination).name ?? ""
            let column = addColumn("Z" + base, "INTEGER", root: root)
            addIndex([column], root: root)
            let order = relationship.isOrdered ? addColumn("Z_FOK_" + base, "INTEGER", root: root) : nil
            return .column(column, order: order)
        }
        guard inverse.isToMany else {
            guard let property = property(inverse.name, of: destination) else {
                throw StoreFailure(
                    .unsupported,
                    "relationship '\(relationship.name)' of '\(entity.name ?? "")': the inverse is not stored")
            }
            return .column(property.column, order: property.orderColumn)
        }
        return try join(of: relationship, inverse, from: entity)
    }

    func property(_ name: String, of entity: NSEntityDescription) -> PropertyLayout? {
        declared[entity.name ?? ""]?.first { $0.name == name }
            ?? superentity(of: entity).flatMap { property(name, of: $0) }
    }

    /// The table is named after the relationship whose name comes later.
    mutating func join(
        of relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription,
        from entity: NSEntityDescription
    ) throws -> ToManyLayout.Place {
        let here = try number(entity)
        let there = try number(inverse.entity)
        let (name, inverseName) = (relationship.name.uppercased(), inverse.name.uppercased())
        let member = "Z_\(there)\(name)"
        let isReflexive = relationship === inverse
        let owner = isReflexive ? "REFLEXIVE" : "Z_\(here)\(inverseName)"
        let comesFirst = (relationship.name, -here) > (inverse.name, -there)
        let table = comesFirst ? "Z_\(here)\(name)" : "Z_\(there)\(inverseName)"
        let order = relationship.isOrdered ? "Z_FOK_\(there)\(name)" : nil
        let columns = isReflexive || comesFirst ? [owner, member] : [member, owner]
        guard !tables.values.contains(where: { $0.name.uppercased() == table }) else {
            throw StoreFailure(
                .unsupported, "relationship '\(relationship.name)': its table has the name of an entity's")
        }
        var layout =
            joins[table]
            ?? TableLayout(
                name: table, columns: columns.map { TableLayout.Column(name: $0, type: "INTEGER") },
                primaryKey: columns,
                indexes: [
                    TableLayout.Index(name: "\(table)_\(columns[1])_INDEX", columns: [columns[1], columns[0]])
                ])
        if let order { layout.columns.append(TableLayout.Column(name: order, type: "INTEGER")) }
        joins[table] = layout
        return .table(table, owner: owner, member: member, order: order)
    }
}
