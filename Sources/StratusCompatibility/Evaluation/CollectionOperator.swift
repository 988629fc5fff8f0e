/// The operators of key-value coding over collections: `items.@sum.price`.
enum CollectionOperator: String {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case least = "@min"
    case greatest = "@max"
    case objects = "@unionOfObjects"
    case distinctObjects = "@distinctUnionOfObjects"
    case arrays = "@unionOfArrays"
    case distinctArrays = "@distinctUnionOfArrays"
    case sets = "@unionOfSets"
    case distinctSets = "@distinctUnionOfSets"

    /// `rest` is what follows the operator, in one member. nil if `object` is no collection.
    func apply(to object: Any, rest: (Any) -> Any?) -> Any? {
        if self == .count, let dictionary = object as? [AnyHashable: Any] { return dictionary.count }
        guard let members = KeyPathReader.members(of: object) else { return nil }
        if self == .count { return members.count }
        let values = members.compactMap(rest).map { PredicateValue($0) }.filter { $0 != .null }
        switch self {
        case .count: return members.count
        case .sum: return PredicateStatistics.sum(values)?.object
        case .average: return PredicateStatistics.average(values)?.object
        case .least: return PredicateStatistics.least(values)?.object
        case .greatest: return PredicateStatistics.greatest(values)?.object
        case .objects: return values.map { $0.object }
        case .distinctObjects: return PredicateStatistics.distinct(values).map { $0.object }
        case .arrays, .sets: return values.flatMap { $0.members ?? [] }.map { $0.object }
        case .distinctArrays, .distinctSets:
            return PredicateStatistics.distinct(values.flatMap { $0.members ?? [] }).map { $0.object }
        }
    }
}

extension PredicateValue {
    /// The members of a list, the values of a dictionary, none of null; nil if it is nothing of the kind.
    var members: [PredicateValue]? {
        switch self {
        case .list(let members): members
        case .dictionary(let members): Array(members.values)
        case .null: []
        default: nil
        }
    }
}
