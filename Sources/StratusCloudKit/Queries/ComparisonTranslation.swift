import Foundation
import StratusCloudModel
import StratusCompatibility
import StratusCoreLocation

/// Translates one comparison of a predicate into filters.
struct ComparisonTranslation {
    private let comparison: PredicateComparison
    private let query: QueryTranslation

    init(_ comparison: PredicateComparison, _ query: QueryTranslation) {
        self.comparison = comparison
        self.query = query
    }

    private enum Side {
        case field(String)
        /// `self` or `allTokens`: all fields that can be searched.
        case everything
        case value(PredicateValue)
        /// `tokenize(text, 'Cdl')`: the words of a text.
        case words(PredicateValue)
        /// The distance of a field from a place.
        case distance(String, CLLocation)
    }

    func filters() throws -> [Filter] {
        if let search = try wordSearch() { return [search] }
        guard comparison.modifier != .all else { throw refusal("'\(outline)' cannot be sent") }
        let isSearch = comparison.relation == .tokenMatches
        guard isSearch || comparison.options.isEmpty else {
            throw refusal("\(comparison.relation.rawValue) with options in brackets cannot be sent: '\(outline)'")
        }
        switch (try side(comparison.left), try side(comparison.right)) {
        case (.field(let field), .words(let value)) where isSearch || comparison.relation == .contains:
            return [try search(field, value)]
        case (.everything, .words(let value)) where isSearch || comparison.relation == .contains:
            return [try search(nil, value)]
        case (.field(let field), .value(let value)): return try filters(field, comparison.relation, value)
        case (.value(let value), .field(let field)): return try reversed(value, field)
        case (.everything, .value(let value)) where isSearch || comparison.relation == .contains:
            return [try search(nil, value)]
        case (.distance(let field, let place), .value(let value)):
            return [try near(field, place, value, comparison.relation)]
        case (.value(let value), .distance(let field, let place)):
            guard let relation = comparison.relation.mirrored else { throw unsupported }
            return [try near(field, place, value, relation)]
        case (.field, .field):
            throw refusal(
                "'\(comparison.right.outline)' cannot stand where \(comparison.relation.rawValue) needs a value")
        default: throw unsupported
        }
    }

    private func side(_ operand: PredicateOperand) throws -> Side {
        switch operand {
        case .value(let value): return .value(value)
        case .evaluatedObject: return .everything
        case .keyPath("allTokens"): return .everything
        case .keyPath(let path): return .field(path)
        case .function("now", let arguments) where arguments.isEmpty: return .value(.date(Date()))
        case .function("tokenize:", let arguments), .function("tokenize:using:", let arguments):
            guard let first = arguments.first else { throw unsupported(operand) }
            let text = try side(first)
            if case .value(let value) = text { return .words(value) }
            return text
        case .function("distanceToLocation:fromLocation:", let arguments) where arguments.count == 2:
            switch (try side(arguments[0]), try side(arguments[1])) {
            case (.field(let field), .value(.location(let place))), (.value(.location(let place)), .field(let field)):
                return .distance(field, place)
            default: throw refusal("A distance must be that of a field from a location, not '\(operand.outline)'")
            }
        default: throw unsupported(operand)
        }
    }

    // MARK: Forms

    private func filters(
        _ field: String, _ relation: PredicateComparison.Relation, _ value: PredicateValue
    ) throws -> [Filter] {
        let isAny = comparison.modifier == .any
        switch relation {
        case .equalTo: return [try filter(isAny ? .listContains : .equals, field, value)]
        case .notEqualTo where !isAny: return [try filter(.notEquals, field, value)]
        case .lessThan where !isAny: return [try filter(.lessThan, field, value)]
        case .lessThanOrEqualTo where !isAny: return [try filter(.lessThanOrEquals, field, value)]
        case .greaterThan where !isAny: return [try filter(.greaterThan, field, value)]
        case .greaterThanOrEqualTo where !isAny: return [try filter(.greaterThanOrEquals, field, value)]
        case .between where !isAny:
            guard case .list(let bounds) = value, bounds.count == 2 else {
                throw refusal("BETWEEN needs a list of two values, field '\(field)'")
            }
            return [
                try filter(.greaterThanOrEquals, field, bounds[0]), try filter(.lessThanOrEquals, field, bounds[1]),
            ]
        case .in:
            guard case .list(let values) = value else { throw refusal("IN needs a list of values, field '\(field)'") }
            return [try listFilter(isAny ? .listContainsAny : .in, field, values)]
        case .contains:
            if case .list(let values) = value { return [try listFilter(.listContainsAny, field, values)] }
            return [try filter(.listContains, field, value)]
        case .beginsWith:
            guard case .string = value else { throw refusal("BEGINSWITH needs a text, field '\(field)'") }
            return [try filter(isAny ? .listMemberBeginsWith : .beginsWith, field, value)]
        case .tokenMatches: return [try search(field, value)]
        default: throw unsupported
        }
    }

    /// The value stands before the field.
    private func reversed(_ value: PredicateValue, _ field: String) throws -> [Filter] {
        if case .list(let values) = value, comparison.modifier == .any, comparison.relation == .equalTo {
            return [try listFilter(.in, field, values)]
        }
        guard comparison.modifier == .direct else { throw unsupported }
        if comparison.relation == .in { return [try filter(.listContains, field, value)] }
        if comparison.relation == .contains, case .list(let values) = value {
            return [try listFilter(.in, field, values)]
        }
        guard let relation = comparison.relation.mirrored else { throw unsupported }
        return try filters(field, relation, value)
    }

    private func filter(_ comparator: StratusCloudModel.Comparator, _ field: String, _ value: PredicateValue) throws
        -> Filter
    {
        let target = try query.field(field)
        return Filter(comparator, target, FieldInput(Field(.scalar(try scalar(value, of: target, field)))))
    }

    private func listFilter(_ comparator: StratusCloudModel.Comparator, _ field: String, _ values: [PredicateValue])
        throws
        -> Filter
    {
        let target = try query.field(field)
        let scalars = try values.map { try scalar($0, of: target, field) }
        guard let type = scalars.first?.type else {
            return Filter(comparator, target, FieldInput(.list([]), declaredType: .list(nil)))
        }
        guard scalars.allSatisfy({ $0.type == type }) else {
            throw refusal("A list of values must have one type, field '\(field)'")
        }
        return Filter(comparator, target, FieldInput(Field(.list(of: type, elements: scalars))))
    }

    /// Returns the filter of `ALL tokenize('two words', 'Cdl') IN allTokens`, the search that Apple documents; nil if
    /// the comparison is none. `ANY` finds records with either word, and a field may stand for `allTokens`.
    private func wordSearch() throws -> Filter? {
        guard comparison.relation == .in, case .words(let words) = try side(comparison.left) else { return nil }
        guard comparison.modifier != .direct else {
            throw refusal("ALL or ANY must stand before the words of '\(outline)'")
        }
        let comparator =
            comparison.modifier == .all ? StratusCloudModel.Comparator.containsAllTokens : .containsAnyTokens
        switch try side(comparison.right) {
        case .everything: return try search(nil, words, comparator)
        case .field(let field): return try search(field, words, comparator)
        case .value, .words, .distance: throw unsupported
        }
    }

    /// A search for words; without a comparator for any of them, as Apple's documentation says of a text with several.
    private func search(
        _ field: String?, _ value: PredicateValue, _ comparator: StratusCloudModel.Comparator = .containsAnyTokens
    ) throws -> Filter {
        guard case .string(let words) = value else { throw refusal("A search needs a text: '\(outline)'") }
        return Filter(comparator, try field.map(query.field), FieldInput(Field(.scalar(.string(words)))))
    }

    private func near(
        _ field: String, _ place: CLLocation, _ value: PredicateValue, _ relation: PredicateComparison.Relation
    ) throws -> Filter {
        guard relation == .lessThan || relation == .lessThanOrEqualTo else {
            throw refusal("A distance can only be compared with < and <=, field '\(field)'")
        }
        guard let distance = value.number else {
            throw refusal("A distance must be compared with a number, field '\(field)'")
        }
        let target = try query.field(field)
        let center = try scalar(.location(place), of: target, field)
        return Filter(.near, target, FieldInput(Field(.scalar(center))), distance: distance)
    }

    // MARK: Values

    private func scalar(_ value: PredicateValue, of target: QueryField, _ field: String) throws -> ScalarValue {
        let encoding = FieldEncoding(field: field, zoneID: .default, names: query.names)
        switch value {
        case .string(let text):
            // A name where a reference is meant.
            if case .system(let system) = target, system.type == .reference {
                return .reference(Reference(recordName: userName(text, system)))
            }
            return .string(text)
        case .null: throw refusal("nil cannot be compared with, field '\(field)'")
        case .object(let object):
            if let record = object.object as? CKRecord { return .reference(reference(record.recordID, target)) }
            if let recordID = object.object as? CKRecord.ID { return .reference(reference(recordID, target)) }
            if let reference = object.object as? CKRecord.Reference {
                return .reference(self.reference(reference.recordID, target))
            }
            throw unsupportedValue(field)
        case .bool, .integer, .unsigned, .double, .decimal, .date, .data, .location:
            guard let object = value.object else { throw unsupportedValue(field) }
            return try encoding.scalar(object)
        case .uuid, .url, .list, .dictionary: throw unsupportedValue(field)
        }
    }

    private func reference(_ recordID: CKRecord.ID, _ target: QueryField) -> Reference {
        if case .system(let system) = target { return Reference(recordName: userName(recordID.recordName, system)) }
        let isDefault = recordID.zoneID == CKRecordZone.ID.default
        return Reference(
            recordName: recordID.recordName, zoneID: isDefault ? nil : query.names.zoneID(recordID.zoneID))
    }

    /// The current user has a name of its own on the server.
    private func userName(_ name: String, _ field: SystemField) -> String {
        let isUser = field == .createdUserRecordName || field == .modifiedUserRecordName
        guard isUser, name == CKCurrentUserDefaultName, let current = query.names.currentUser else { return name }
        return current
    }

    private var unsupported: NSError { refusal("'\(outline)' cannot be sent") }

    private func unsupported(_ operand: PredicateOperand) -> NSError {
        refusal("'\(operand.outline)' is neither a field nor a value and cannot be sent")
    }

    /// The comparison without its values.
    private var outline: String {
        let modifier =
            switch comparison.modifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            }
        return "\(modifier)\(comparison.left.outline) \(comparison.relation.rawValue) \(comparison.right.outline)"
    }

    private func unsupportedValue(_ field: String) -> NSError {
        refusal("A value of this type cannot be compared with, field '\(field)'")
    }

    private func refusal(_ reason: String) -> NSError { query.refusal(reason + ".") }
}

extension PredicateComparison.Relation {
    /// The same with the sides exchanged.
    fileprivate var mirrored: PredicateComparison.Relation? {
        switch self {
        case .equalTo, .notEqualTo: self
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        default: nil
        }
    }
}

extension PredicateValue {
    fileprivate var number: Double? { (object as? NSNumber)?.doubleValue }
}
