import Foundation

extension StoreLayoutBuilder {
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
}
