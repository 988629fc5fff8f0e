import Foundation

/// Gives each table, column and index its name.
struct StoreLayoutBuilder {
    let entities: [NSEntityDescription]
    let byName: [String: NSEntityDescription]
    let numbers: [String: Int64]
    /// The table of each root entity, by the entity's name.
    var tables: [String: TableLayout] = [:]
    var joins: [String: TableLayout] = [:]
    /// The properties that each entity declares.
    var declared: [String: [PropertyLayout]] = [:]
    var toMany: [String: [String: ToManyLayout]] = [:]
    /// Names that are taken: those of tables, and those of columns with their table.
    var taken: Set<String> = [
        "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]

    init(_ entities: [NSEntityDescription], numbers: [String: Int64]?) throws {
        self.entities = entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        byName = Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
        let names = self.entities.map { $0.name ?? "" }
        for name in names { try Self.check(name, "entity") }
        self.numbers = numbers.map { EntityNumbers.known(entities, inFile: $0) } ?? EntityNumbers.new(entities)
    }

    var allTables: [TableLayout] { (Array(tables.values) + joins.values).sorted { $0.name < $1.name } }

    /// SQLite ends a statement at a NUL.
    static func check(_ name: String, _ kind: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw StoreFailure(.unsupported, "\(kind) '\(name)': the name is empty or contains a NUL character")
        }
    }

    func number(_ entity: NSEntityDescription?) throws -> Int64 {
        guard let number = numbers[entity?.name ?? ""] else {
            throw StoreFailure(.otherModel, "the store has no entity '\(entity?.name ?? "")'")
        }
        return number
    }

    func superentity(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.superentity.flatMap { byName[$0.name ?? ""] }
    }

    func root(of entity: NSEntityDescription) -> NSEntityDescription {
        superentity(of: entity).map(root) ?? entity
    }

    func subentities(of entity: NSEntityDescription) -> [NSEntityDescription] {
        entities.filter { superentity(of: $0) === entity }
    }

    func family(of entity: NSEntityDescription) -> [String] {
        [entity.name ?? ""] + subentities(of: entity).flatMap(family)
    }

    /// Names in SQLite do not differ by case.
    mutating func free(_ name: String, in table: String = "") -> String {
        var candidate = name
        var suffix = 0
        while !taken.insert(table + "\u{0}" + candidate.uppercased()).inserted || taken.contains(candidate.uppercased())
        {
            suffix += 1
            candidate = name + String(suffix)
        }
        return candidate
    }

    mutating func addTables() throws {
        for entity in entities where superentity(of: entity) == nil {
            let name = free("Z" + (entity.name ?? "").uppercased())
            tables[entity.name ?? ""] = TableLayout(
                name: name,
                columns: [("Z_PK", "INTEGER PRIMARY KEY"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")].map {
                    TableLayout.Column(name: $0, type: $1)
                })
            for column in ["Z_PK", "Z_ENT", "Z_OPT"] { _ = free(column, in: name) }
            try addColumns(of: entity, root: entity.name ?? "")
        }
    }

    mutating func addColumns(of entity: NSEntityDescription, root: String) throws {
        let own = entity.properties.filter { $0.entity === entity && !$0.isTransient }.sorted { $0.name < $1.name }
        declared[entity.name ?? ""] = try own.flatMap { try columns(of: $0, prefix: "", root: root) }
        for inheriting in subentities(of: entity) { try addColumns(of: inheriting, root: root) }
    }

    mutating func columns(
        of property: NSPropertyDescription, prefix: String, root: String
    ) throws -> [PropertyLayout] {
        try Self.check(property.name, "property")
        guard !property.name.contains(".") else {
            // The name would be that of an element of a composite attribute.
            throw StoreFailure(.unsupported, "property '\(property.name)': the name contains a dot")
        }
        if let composite = property as? NSCompositeAttributeDescription {
            return try composite.elements.sorted { $0.name < $1.name }.flatMap {
                try columns(of: $0, prefix: prefix + property.name + ".", root: root)
            }
        }
        let name = prefix + property.name
        let base = name.uppercased().replacingOccurrences(of: ".", with: "_")
        if let attribute = property as? NSAttributeDescription {
            var type = StorageType(attribute.attributeType)
            if type == .data, attribute.allowsExternalBinaryDataStorage { type = .externalData }
            let column = addColumn("Z" + base, type.declaration, root: root)
            return [PropertyLayout(name: name, column: column, type: type)]
        }
        guard let relationship = property as? NSRelationshipDescription, !relationship.isToMany,
            let destination = relationship.destinationEntity.flatMap({ byName[$0.name ?? ""] })
        else { return [] }
        let type = StorageType.reference(destination.name ?? "")
        var layout = PropertyLayout(name: name, column: addColumn("Z" + base, type.declaration, root: root), type: type)
        layout.inverse = relationship.inverseRelationship?.name
        if !subentities(of: destination).isEmpty {
            layout.entityColumn = addColumn("Z\(try number(destination))_\(base)", "INTEGER", root: root)
        }
        if let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered {
            layout.orderColumn = addColumn("Z_FOK_\(base)", "INTEGER", root: root)
        }
        addIndex([layout.column], root: root)
        return [layout]
    }

    mutating func addColumn(_ name: String, _ type: String, root: String) -> String {
        let column = free(name, in: tables[root]?.name ?? "")
        tables[root]?.columns.append(TableLayout.Column(name: column, type: type))
        return column
    }

    mutating func addIndex(_ columns: [String], root: String) {
        guard let table = tables[root]?.name else { return }
        let name = free("\(table)_\(columns.joined(separator: "_"))_INDEX")
        tables[root]?.indexes.append(TableLayout.Index(name: name, columns: columns))
    }
}
