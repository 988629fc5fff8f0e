import StratusCloudModel

/// What a comparator applies to and needs.
struct ComparatorRule {
    private enum Fields {
        case equality, ranges, places, texts, textsAndLists, lists, textLists
    }

    private let fields: Fields
    /// Kinds of index of which the field needs one.
    let indexes: FieldIndex.Kinds
    /// Whether its value is a list.
    let takesList: Bool
    /// Whether its value is a text whatever the field.
    let takesText: Bool

    init(_ comparator: Comparator) {
        takesList = [
            .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll,
        ].contains(comparator)
        switch comparator {
        case .equals, .notEquals, .in, .notIn: (fields, indexes) = (.equality, .queryable)
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
            (fields, indexes) = (.ranges, [.queryable, .sortable])
        case .near: (fields, indexes) = (.places, .queryable)
        case .containsAllTokens, .containsAnyTokens: (fields, indexes) = (.textsAndLists, .searchable)
        case .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
            .notListContainsAll:
            (fields, indexes) = (.lists, .queryable)
        case .beginsWith, .notBeginsWith: (fields, indexes) = (.texts, [.queryable, .sortable])
        case .listMemberBeginsWith, .notListMemberBeginsWith: (fields, indexes) = (.textLists, .queryable)
        }
        takesText = fields == .texts || fields == .textsAndLists || fields == .textLists
    }

    func applies(to type: FieldType) -> Bool {
        let isOrdered = IndexValue.isOrdered(type.scalar)
        switch fields {
        case .equality: return !type.isList && (isOrdered || type.scalar == .location)
        case .ranges: return !type.isList && isOrdered && type.scalar != .reference
        case .places: return !type.isList && type.scalar == .location
        case .texts: return !type.isList && type.scalar == .string
        case .textsAndLists: return type.scalar == .string
        case .lists: return type.isList && isOrdered
        case .textLists: return type.isList && type.scalar == .string
        }
    }
}
