import Foundation
import StratusCloudModel
import StratusCompatibility

/// Translates a query into what the service can do; what it cannot do is refused by name.
struct QueryTranslation {
    let names: IdentityNames

    /// What a predicate comes to.
    enum Condition {
        /// All of these must hold.
        case filters([Filter])
        /// Nothing satisfies it.
        case nothing
    }

    /// The query to send; nil if nothing can satisfy it.
    func query(_ query: CKQuery) throws -> Query? {
        guard query.recordType != CKRecordTypeUserRecord else {
            throw refusal("Records of the type '\(CKRecordTypeUserRecord)' cannot be queried.")
        }
        let sorts = try (query.sortDescriptors ?? []).map(sort)
        switch try condition(query.predicate.predicateTree) {
        case .nothing: return nil
        case .filters(let filters): return Query(recordType: query.recordType, filters: filters, sorts: sorts)
        }
    }

    private func sort(_ descriptor: NSSortDescriptor) throws -> Sort {
        guard let key = descriptor.key else {
            throw refusal("A sort descriptor without a key cannot be sent.")
        }
        if let nearest = descriptor as? CKLocationSortDescriptor {
            let encoding = FieldEncoding(field: key, zoneID: .default, names: names)
            return Sort(try field(key), relativeLocation: try encoding.location(nearest.relativeLocation))
        }
        return Sort(try field(key), ascending: descriptor.ascending)
    }

    /// A field, or what every record has.
    func field(_ keyPath: String) throws -> QueryField {
        if let field = SystemField(key: keyPath) { return .system(field) }
        guard FieldName.isKey(keyPath) else {
            throw refusal("'\(keyPath)' is no name for a field; key paths through references cannot be sent.")
        }
        return .named(keyPath)
    }

    // MARK: Conditions

    func condition(_ tree: PredicateTree) throws -> Condition {
        switch tree {
        case .constant(true): return .filters([])
        case .constant(false): return .nothing
        case .and(let parts):
            var all: [Filter] = []
            for part in parts {
                guard case .filters(let filters) = try condition(part) else { return .nothing }
                all += filters
            }
            return .filters(all)
        case .or: throw refusal("OR cannot be sent; use a query for each part.")
        case .not(let part): return try negation(of: part)
        case .comparison(let comparison):
            return .filters(try ComparisonTranslation(comparison, self).filters())
        case .code: throw refusal("A predicate that is a block cannot be sent.")
        }
    }

    private func negation(of tree: PredicateTree) throws -> Condition {
        switch tree {
        case .constant(let value): return value ? .nothing : .filters([])
        case .not(let part): return try condition(part)
        case .comparison(let comparison):
            let filters = try ComparisonTranslation(comparison, self).filters()
            guard filters.count == 1, let comparator = filters[0].comparator.negated else {
                throw refusal("NOT before \(comparison.relation.rawValue) cannot be sent.")
            }
            var negated = filters[0]
            negated.comparator = comparator
            return .filters([negated])
        case .and, .or, .code: throw refusal("NOT cannot be sent before a compound predicate.")
        }
    }

    func refusal(_ reason: String) -> NSError { .cloudKit(.invalidArguments, reason) }
}

extension StratusCloudModel.Comparator {
    /// What holds where this does not, for fields that have a value.
    fileprivate var negated: StratusCloudModel.Comparator? {
        switch self {
        case .equals: .notEquals
        case .notEquals: .equals
        case .lessThan: .greaterThanOrEquals
        case .lessThanOrEquals: .greaterThan
        case .greaterThan: .lessThanOrEquals
        case .greaterThanOrEquals: .lessThan
        case .in: .notIn
        case .notIn: .in
        case .listContains: .notListContains
        case .notListContains: .listContains
        case .listContainsAny: .notListContainsAny
        case .notListContainsAny: .listContainsAny
        case .listContainsAll: .notListContainsAll
        case .notListContainsAll: .listContainsAll
        case .beginsWith: .notBeginsWith
        case .notBeginsWith: .beginsWith
        case .listMemberBeginsWith: .notListMemberBeginsWith
        case .notListMemberBeginsWith: .listMemberBeginsWith
        case .near, .containsAllTokens, .containsAnyTokens: nil
        }
    }
}
