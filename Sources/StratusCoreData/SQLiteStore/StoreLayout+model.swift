import Foundation
import StratusCompatibility

extension StoreLayout {
    /// Makes the layout of entities of a model, as Apple's Core Data names tables and columns.
    /// - Parameter numbers: The numbers of the entities in an existing file; nil for a new one.
    convenience init(
        _ entities: [NSEntityDescription], numbers: [String: Int64]? = nil, external: ExternalFiles? = nil
    ) throws {
        var builder = try StoreLayoutBuilder(entities, numbers: numbers)
        try builder.addTables()
        try builder.addRelationships()
        try builder.addIndexes()
        self.init(try builder.layouts(), tables: builder.allTables, external: external)
    }
}

/// Gives each table, column and index its name.
struct StoreLayoutBuilder {
    let entities: [NSEntityDescription]
    let byName: [String: NSEntityDescription]
    private let numbers: [String: Int64]
    /// The table of each root entity, by the entity's name.
    private(set) var tables: [String: TableLayout] = [:]
    private var joins: [String: TableLayout] = [:]
    /// The properties that each entity declares.
    private var declared: [String: [PropertyLayout]] = [:]
    private var toMany: [String: [String: ToManyLayout]] = [:]
    /// Names that are taken: those of tables, and those of columns with their table.
    private var taken: Set<String> = [
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
    private static func check(_ name: String, _ kind: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw StoreFailure(.unsupported, "\(kind) '\(name)': the name is empty or contains a NUL character")
        }
    }

    private func number(_ entity: NSEntityDescription?) throws -> Int64 {
        guard let number = numbers[entity?.name ?? ""] else {
            throw StoreFailure(.otherModel, "the store has no entity '\(entity?.name ?? "")'")
        }
        return number
    }

    private func superentity(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.superentity.flatMap { byName[$0.name ?? ""] }
    }

    func root(of entity: NSEntityDescription) -> NSEntityDescription {
        superentity(of: entity).map(root) ?? entity
    }

    private func subentities(of entity: NSEntityDescription) -> [NSEntityDescription] {
        entities.filter { superentity(of: $0) === entity }
    }

    private func family(of entity: NSEntityDescription) -> [String] {
        [entity.name ?? ""] + subentities(of: entity).flatMap(family)
    }

    /// Names in SQLite do not differ by case.
    private mutating func free(_ name: String, in table: String = "") -> String {
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

    private mutating func addColumns(of entity: NSEntityDescription, root: String) throws {
        let own = entity.properties.filter { $0.entity === entity && !$0.isTransient }.sorted { $0.name < $1.name }
        declared[entity.name ?? ""] = try own.flatMap { try columns(of: $0, prefix: "", root: root) }
        for inheriting in subentities(of: entity) { try addColumns(of: inheriting, root: root) }
    }

    private mutating func columns(
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

    private mutating func addColumn(_ name: String, _ type: String, root: String) -> String {
        let column = free(name, in: tables[root]?.name ?? "")
        tables[root]?.columns.append(TableLayout.Column(name: column, type: type))
        return column
    }

    private mutating func addIndex(_ columns: [String], root: String) {
        guard let table = tables[root]?.name else { return }
        let name = free("\(table)_\(columns.joined(separator: "_"))_INDEX")
        tables[root]?.indexes.append(TableLayout.Index(name: name, columns: columns))
    }

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

    private mutating func place(
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

    private func property(_ name: String, of entity: NSEntityDescription) -> PropertyLayout? {
        declared[entity.name ?? ""]?.first { $0.name == name }
            ?? superentity(of: entity).flatMap { property(name, of: $0) }
    }

    /// The table is named after the relationship whose name comes later.
    private mutating func join(
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

    mutating func addIndexes() throws {
        for entity in entities {
            let name = entity.name ?? ""
            let root = root(of: entity).name ?? ""
            for index in entity.indexes {
                let found = index.elements.compactMap { element in
                    property(element.propertyName ?? "", of: entity).map { ($0.column, element.isAscending) }
                }
                guard !found.isEmpty else { continue }
                try Self.check(index.name, "index")
                let indexName = free("Z_\(name)_\(index.name)")
                tables[root]?.indexes.append(
                    TableLayout.Index(
                        name: indexName, columns: found.map(\.0),
                        descending: Set(found.filter { !$0.1 }.map(\.0))))
            }
            for constraint in try constraints(of: entity) where constraint.entity == name {
                let columns = constraint.positions.map { properties(of: entity)[$0].column }
                let indexName = free("Z_\(name)_UNIQUE_\(columns.joined(separator: "_"))")
                tables[root]?.indexes.append(
                    // The table of a root entity has rows of the others, too, to which the constraint does not apply.
                    TableLayout.Index(
                        name: indexName, columns: columns,
                        isUnique: name == root))
            }
        }
    }

    private func properties(of entity: NSEntityDescription) -> [PropertyLayout] {
        let own = declared[entity.name ?? ""] ?? []
        let names = Set(own.map(\.name))
        let inherited = superentity(of: entity).map(properties) ?? []
        return inherited.filter { !names.contains($0.name) } + own
    }

    private func constraints(of entity: NSEntityDescription) throws -> [EntityLayout.Constraint] {
        let all = properties(of: entity)
        return try entity.uniquenessConstraints.map { constraint in
            let names = constraint.map(NSEntityDescription.constraintKey)
            let positions = try names.map { name in
                guard let position = all.firstIndex(where: { $0.name == name }) else {
                    throw StoreFailure(
                        .unsupported,
                        "entity '\(entity.name ?? "")': the uniqueness constraint names '\(name)', which is not stored")
                }
                return position
            }
            return EntityLayout.Constraint(entity: declarer(of: names, entity).name ?? "", positions: positions)
        }
    }

    private func declarer(of constraint: [String], _ entity: NSEntityDescription) -> NSEntityDescription {
        guard let parent = superentity(of: entity),
            parent.uniquenessConstraints.contains(where: { $0.map(NSEntityDescription.constraintKey) == constraint })
        else { return entity }
        return declarer(of: constraint, parent)
    }

    func layouts() throws -> [EntityLayout] {
        try entities.map { entity in
            let root = root(of: entity).name ?? ""
            return EntityLayout(
                name: entity.name ?? "", number: try number(entity), root: root,
                superentity: superentity(of: entity)?.name, isAbstract: entity.isAbstract,
                table: tables[root]?.name ?? "", family: family(of: entity), properties: properties(of: entity),
                toMany: toMany(of: entity), constraints: try constraints(of: entity),
                history: HistoryProperties(entity), derived: derived(of: entity))
        }
    }

    private func derived(of entity: NSEntityDescription) -> [DerivedLayout] {
        let attributes = entity.attributesByName
        return properties(of: entity).enumerated().compactMap { position, property in
            guard let attribute = attributes[property.name] as? NSDerivedAttributeDescription,
                let expression = attribute.expression.flatMap(PredicateOperand.init(expression:))
            else { return nil }
            return DerivedLayout(position: position, expression: expression)
        }
    }

    private func toMany(of entity: NSEntityDescription) -> [String: ToManyLayout] {
        (superentity(of: entity).map(toMany) ?? [:]).merging(toMany[entity.name ?? ""] ?? [:]) { $1 }
    }
}

extension StorageType {
    init(_ type: NSAttributeType) {
        self =
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .integer
            case .booleanAttributeType: .boolean
            case .decimalAttributeType: .decimal
            case .doubleAttributeType: .double
            case .floatAttributeType: .float
            case .stringAttributeType: .string
            case .dateAttributeType: .date
            case .UUIDAttributeType: .uuid
            case .URIAttributeType, .objectIDAttributeType: .url
            case .undefinedAttributeType, .binaryDataAttributeType, .transformableAttributeType,
                .compositeAttributeType:
                .data
            }
    }

    /// The type that columns are declared with.
    var declaration: String {
        switch self {
        case .integer, .boolean, .reference: "INTEGER"
        case .decimal: "DECIMAL"
        case .double, .float: "FLOAT"
        case .string, .url: "VARCHAR"
        case .date: "TIMESTAMP"
        case .data, .externalData, .uuid: "BLOB"
        }
    }
}
