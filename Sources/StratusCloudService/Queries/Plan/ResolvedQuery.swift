import StratusCloudModel

/// A query whose fields are known, whose values have the fields' types, and that the schema's indexes can answer.
struct ResolvedQuery: Hashable, Sendable {
    let recordType: String
    let filters: [ResolvedFilter]
    let sorts: [ResolvedSort]

    /// How many fields are looked for in each record, and whether no look makes much: a list, or texts that words are
    /// looked for in, may be needed again by another filter, and to tell which of its entries counts.
    var looks: (count: Int, areSmall: Bool) {
        let fields = filters.flatMap(\.fields)
        let areSmall = fields.allSatisfy { !$0.type.isList } && !filters.contains(where: \.isForWords)
        return (sorts.count + fields.count, areSmall)
    }
}

/// One condition.
struct ResolvedFilter: Hashable, Sendable {
    /// What the field's value is compared with.
    enum Operand: Hashable, Sendable {
        case value(ScalarValue)
        case values([ScalarValue])
        case words([TokenTerm])
        /// Metres.
        case circle(Location, radius: Double)
    }

    let comparator: Comparator
    /// One, except in a search for words in all fields.
    let fields: [QueryableField]
    let operand: Operand

    fileprivate var isForWords: Bool {
        if case .words = operand { true } else { false }
    }

    /// How explanations name it: without its value, which may be private.
    var description: String {
        "\(fields.map(\.name).joined(separator: ", ")) \(comparator.rawValue)"
    }
}

/// One sort key.
struct ResolvedSort: Hashable, Sendable {
    let field: QueryableField
    let ascending: Bool
    /// Sorts by distance from here.
    let center: Location?

    var description: String {
        center != nil ? "distance of \(field.name)" : "\(field.name) \(ascending ? "ascending" : "descending")"
    }
}
