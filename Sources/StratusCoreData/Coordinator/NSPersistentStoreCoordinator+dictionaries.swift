import Foundation
import StratusCompatibility

extension NSPersistentStoreCoordinator {
    /// Values by the names of columns, and the store that they are from.
    typealias FoundValues = (store: NSPersistentStore, values: [String: StoredValue])

    /// Returns the values that a fetch of dictionaries finds.
    func dictionaries(
        _ plan: FetchPlan, _ columns: FetchPlan.Dictionaries, from stores: [NSPersistentStore],
        in rows: (NSPersistentStore) throws -> any RowStore
    ) throws -> [FoundValues] {
        return try CoreDataError.inCocoa {
            guard stores.count > 1 else { return try stores.flatMap { try dictionaries(plan, $0, rows) } }
            let merge = try DictionaryMerge(plan, columns, stores[0].rows.layout)
            return merge.merged(try stores.flatMap { try dictionaries(merge.plan, $0, rows) })
        }
    }

    private func dictionaries(
        _ plan: FetchPlan, _ store: NSPersistentStore, _ rows: (NSPersistentStore) throws -> any RowStore
    ) throws -> [FoundValues] {
        guard case .dictionaries(let found) = try rows(store).fetch(plan) else { return [] }
        return found.map { (store, $0) }
    }
}

/// A fetch of dictionaries from several stores: the order, the limit and whether results differ apply to all together.
private struct DictionaryMerge {
    /// The fetch from each of the stores.
    private(set) var plan: FetchPlan
    private let original: FetchPlan
    private let columns: FetchPlan.Dictionaries
    /// The columns with the values of the sort keys.
    private var sortColumns: [String] = []

    init(_ plan: FetchPlan, _ columns: FetchPlan.Dictionaries, _ layout: StoreLayout) throws {
        (self.plan, original, self.columns) = (plan, plan, columns)
        let entity = try layout.entity(plan.entity)
        guard columns.groupBy.isEmpty, columns.having == nil,
            !columns.columns.contains(where: { Self.isOverRows($0.expression, of: entity) })
        else { throw FetchFailure("functions over the rows of several stores have no translation to SQL") }
        var wide = columns
        for (number, key) in plan.sortKeys.enumerated() {
            let known = columns.columns.first { $0.name == key.keyPath }?.name
            // No property has such a name.
            let name = known ?? "\u{1}\(number)"
            if known == nil { wide.columns.append((name, .keyPath(key.keyPath))) }
            sortColumns.append(name)
        }
        self.plan.result = .dictionaries(wide)
        self.plan.offset = 0
        if plan.limit > 0, !columns.isDistinct {
            let (limit, overflow) = plan.limit.addingReportingOverflow(plan.offset)
            self.plan.limit = overflow ? 0 : limit
        } else {
            self.plan.limit = 0
        }
    }

    /// Whether an expression is a function over all rows, not over the destinations of each one.
    private static func isOverRows(_ expression: PredicateOperand, of entity: EntityLayout) -> Bool {
        guard case .function(let name, let arguments) = expression else { return false }
        guard PredicateFunction(rawValue: name)?.isOverLists == true else {
            return arguments.contains { isOverRows($0, of: entity) }
        }
        guard case .keyPath(let path)? = arguments.first else { return false }
        return FetchTranslation.keys(path).first.map { entity.toMany[$0] == nil } ?? true
    }

    func merged(_ found: [NSPersistentStoreCoordinator.FoundValues]) -> [NSPersistentStoreCoordinator.FoundValues] {
        var results = sortColumns.isEmpty ? found : found.sorted(by: isBefore)
        let names = Set(columns.columns.map(\.name))
        for index in results.indices { results[index].values = results[index].values.filter { names.contains($0.key) } }
        if columns.isDistinct {
            var known: Set<[String: StoredValue]> = []
            results.removeAll { !known.insert($0.values).inserted }
        }
        let rest = results.dropFirst(original.offset)
        return Array(original.limit > 0 ? rest.prefix(original.limit) : rest)
    }

    private func isBefore(
        _ left: NSPersistentStoreCoordinator.FoundValues, _ right: NSPersistentStoreCoordinator.FoundValues
    ) -> Bool {
        for (key, name) in zip(original.sortKeys, sortColumns) {
            let order = (left.values[name] ?? .null).compare(right.values[name] ?? .null, key.order)
            if order != .orderedSame { return (order == .orderedAscending) == key.isAscending }
        }
        return false
    }
}

extension StoredValue {
    /// Compares values of one column. Missing ones come first.
    fileprivate func compare(_ other: StoredValue, _ order: TextOrder) -> ComparisonResult {
        func result<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
            left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
        }
        switch (self, other) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.integer(let left), .integer(let right)): return result(left, right)
        case (.string(let left), .string(let right)): return order.compare(left, right)
        case (.date(let left), .date(let right)): return result(left, right)
        case (.decimal(let left), .decimal(let right)): return result(left, right)
        case (.uuid(let left), .uuid(let right)): return result(left.uuidString, right.uuidString)
        case (.url(let left), .url(let right)): return result(left.absoluteString, right.absoluteString)
        case (.data(let left), .data(let right)):
            return left.lexicographicallyPrecedes(right)
                ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        case (.reference(let left), .reference(let right)): return result(left.primaryKey, right.primaryKey)
        default: return result(number ?? 0, other.number ?? 0)
        }
    }

    private var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
}
