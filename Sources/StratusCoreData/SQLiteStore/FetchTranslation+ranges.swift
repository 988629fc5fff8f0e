import StratusCompatibility

// Conditions that trees of ranges answer.
extension FetchTranslation {
    /// The bounds of one column.
    private struct Bounds {
        var least: [Double] = []
        var greatest: [Double] = []
    }

    /// The greatest bound that is looked up. Beyond it, whole numbers and the numbers of the tree, which has 32 bits for
    /// each, may differ too much.
    private static let limit = 9_007_199_254_740_992.0

    /// Returns conditions that find rows in trees. Members of a conjunction, which follow, decide about each row: the
    /// numbers of a tree are rounded.
    func rangeConditions(_ members: [PredicateTree], in scope: SQLScope) throws -> [String] {
        let trees = layout.tables.first { $0.name == scope.entity.table }?.rTrees ?? []
        guard !trees.isEmpty else { return [] }
        var bounds: [String: Bounds] = [:]
        for case .comparison(let comparison) in members { try add(comparison, to: &bounds, scope) }
        return try trees.compactMap { tree in
            // A row without a value in one of the columns is not in the tree.
            guard tree.columns.allSatisfy({ bounds[$0] != nil }) else { return nil }
            var conditions: [String] = []
            for column in tree.columns {
                for bound in bounds[column]?.least ?? [] {
                    conditions.append("\(tree.greatest(column)) >= \(try bind(.real(bound)))")
                }
                for bound in bounds[column]?.greatest ?? [] {
                    conditions.append("\(tree.least(column)) <= \(try bind(.real(bound)))")
                }
            }
            return "\(scope.alias).Z_PK IN (SELECT Z_PK FROM \(quoted(tree.name)) "
                + "WHERE \(conditions.joined(separator: " AND ")))"
        }
    }

    private func add(_ comparison: PredicateComparison, to bounds: inout [String: Bounds], _ scope: SQLScope) throws {
        guard comparison.modifier == .direct, case .keyPath(let path) = comparison.left, named[path] == nil,
            case .value(let value) = comparison.right,
            case .property(alias: scope.alias, let property)? = try? resolve(Self.keys(path), in: scope)
        else { return }
        func number(_ value: PredicateValue) -> Double? {
            let number: Double
            switch SQLKind(property.type).sqlite(value) {
            case .real(let value)?: number = value
            case .integer(let value)?: number = Double(value)
            default: return nil
            }
            return abs(number) <= Self.limit ? number : nil
        }
        var found = bounds[property.column] ?? Bounds()
        switch (comparison.relation, value) {
        case (.between, .list(let members)) where members.count == 2:
            guard let least = number(members[0]), let greatest = number(members[1]) else { return }
            found.least.append(least)
            found.greatest.append(greatest)
        case (.equalTo, _):
            guard let number = number(value) else { return }
            found.least.append(number)
            found.greatest.append(number)
        case (.greaterThan, _), (.greaterThanOrEqualTo, _):
            guard let number = number(value) else { return }
            found.least.append(number)
        case (.lessThan, _), (.lessThanOrEqualTo, _):
            guard let number = number(value) else { return }
            found.greatest.append(number)
        default: return
        }
        bounds[property.column] = found
    }
}
