import Foundation
import StratusCompatibility

extension StoreLayoutBuilder {
    mutating func addIndexes() throws {
        for entity in entities {
            let name = entity.name ?? ""
            let root = root(of: entity).name ?? ""
            for index in entity.indexes { try add(index, of: entity, root) }
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
    private mutating func add(
        _ index: NSFetchIndexDescription, of entity: NSEntityDescription, _ root: String
    ) throws {
        try Self.check(index.name, "index")
        let name = "Z_\(entity.name ?? "")_\(index.name)"
        let ordered = index.elements.filter { $0.collationType == .binary }.compactMap { element in
            property(element, of: entity).map { ($0.column, element.isAscending) }
        }
        if !ordered.isEmpty {
            let descending = Set(ordered.filter { !$0.1 }.map(\.0))
            let index = TableLayout.Index(name: free(name), columns: ordered.map(\.0), descending: descending)
            tables[root]?.indexes.append(index)
        }
        let ranges = index.elements.filter { $0.collationType == .rTree }.compactMap { property($0, of: entity) }
        guard !ranges.isEmpty else { return }
        let isOfNumbers = ranges.allSatisfy { [.integer, .double, .float, .date].contains($0.type) }
        guard isOfNumbers, ranges.count <= RTreeLayout.dimensions else {
            throw StoreFailure(
                .unsupported,
                "index '\(index.name)': a tree of ranges has up to \(RTreeLayout.dimensions) numbers or dates")
        }
        let tree = RTreeLayout(name: free(name), columns: ranges.map(\.column))
        tables[root]?.rTrees.append(tree)
    }

    /// Returns the property that an element is of. Expressions other than key paths have none: an index of them would need
    /// functions that other programs do not have, so that they could no longer write to the file.
    private func property(
        _ element: NSFetchIndexElementDescription, of entity: NSEntityDescription
    ) -> PropertyLayout? {
        if let expression = (element.property as? NSExpressionDescription)?.ownExpression {
            guard case .keyPath(let path)? = PredicateOperand(expression: expression) else { return nil }
            return property(path, of: entity)
        }
        return property(element.propertyName ?? "", of: entity)
    }
}
