import Foundation
import StratusCloudModel
import StratusCompatibility

/// The predicate that filters of the service mean, for subscriptions that come back.
struct PredicateFromFilters {
    let names: IdentityNames

    func predicate(_ filters: [Filter]) throws -> NSPredicate {
        guard !filters.isEmpty else { return NSPredicate(value: true) }
        let parts = try filters.map(predicate)
        return parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }

    private func predicate(_ filter: Filter) throws -> NSPredicate {
        let key = key(filter.field)
        let value = value(filter.value, key)
        switch filter.comparator {
        case .containsAllTokens:
            return try predicate("ALL tokenize(%@, 'Cdl') IN %K", [value, key.isEmpty ? "allTokens" : key])
        case .containsAnyTokens:
            return try key.isEmpty
                ? predicate("SELF CONTAINS %@", [value])
                : predicate("%K TOKENMATCHES[cdl] %@", [key, value])
        case .near:
            return try predicate(
                "distanceToLocation:fromLocation:(%K, %@) < %@",
                [key, value, NSNumber(value: filter.distance ?? 0)])
        case .listContainsAll, .notListContainsAll:
            let parts = try (value as? [Any] ?? []).map { try predicate("%K CONTAINS %@", [key, $0]) }
            let all = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
            return filter.comparator == .listContainsAll
                ? all : NSCompoundPredicate(notPredicateWithSubpredicate: all)
        default:
            guard let format = filter.comparator.format else {
                throw NSError.cloudKit(
                    .internalError, "No predicate says what the filter \(filter.comparator.rawValue) does.")
            }
            return try predicate(format, [key, value])
        }
    }

    /// Filters come from servers and archives: one that names no field is refused, where a program's own wrong format
    /// stops the program.
    private func predicate(_ format: String, _ arguments: [Any]) throws -> NSPredicate {
        do throws(PredicateFormatError) {
            return try NSPredicate(validating: format, argumentArray: arguments)
        } catch {
            throw NSError.cloudKit(.internalError, "No predicate says what a filter does: \(error.reason).")
        }
    }

    private func key(_ field: QueryField?) -> String {
        switch field {
        case .named(let name): name
        case .system(let field): field.rawValue
        case nil: ""
        }
    }

    private func value(_ input: FieldInput, _ key: String) -> Any {
        object(input.typed.value, FieldDecoding(recordID: CKRecord.ID(recordName: ""), fieldKey: key, names: names))
    }

    private func object(_ value: InputValue, _ decoding: FieldDecoding) -> Any {
        switch value {
        case .null: NSNull()
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .decimal(let number), .largeInteger(let number): NSNumber(value: number)
        case .text(let text): text
        case .scalar(let scalar): decoding.value(Field(.scalar(scalar)))?.object ?? NSNull()
        case .list(let members): members.map { object($0, decoding) }
        }
    }
}

extension StratusCloudModel.Comparator {
    /// The format with a key and a value.
    fileprivate var format: String? {
        switch self {
        case .equals: "%K == %@"
        case .notEquals: "%K != %@"
        case .lessThan: "%K < %@"
        case .lessThanOrEquals: "%K <= %@"
        case .greaterThan: "%K > %@"
        case .greaterThanOrEquals: "%K >= %@"
        case .in: "%K IN %@"
        case .notIn: "NOT %K IN %@"
        case .listContains: "%K CONTAINS %@"
        case .notListContains: "NOT %K CONTAINS %@"
        case .listContainsAny: "ANY %K IN %@"
        case .notListContainsAny: "NOT ANY %K IN %@"
        case .beginsWith: "%K BEGINSWITH %@"
        case .notBeginsWith: "NOT %K BEGINSWITH %@"
        case .listMemberBeginsWith: "ANY %K BEGINSWITH %@"
        case .notListMemberBeginsWith: "NOT ANY %K BEGINSWITH %@"
        case .near, .containsAllTokens, .containsAnyTokens, .listContainsAll, .notListContainsAll: nil
        }
    }
}
