import StratusCloudModel

/// Checks a query against a record type and gives its values the types of the fields.
struct QueryResolution {
    let type: RecordTypeSchema

    /// - Throws: `BAD_REQUEST` that names comparator, field and type for everything that cannot be asked.
    static func resolve(_ query: Query, in type: RecordTypeSchema) throws(CloudError) -> ResolvedQuery {
        try QueryResolution(type: type).resolve(query)
    }

    /// Only the conditions, as subscriptions have them: all records of a type need no index to be recognized.
    static func resolveFilters(
        _ filters: [Filter], in type: RecordTypeSchema
    ) throws(CloudError) -> [ResolvedFilter] {
        try QueryResolution(type: type).resolveFilters(filters)
    }

    private func resolveFilters(_ filters: [Filter]) throws(CloudError) -> [ResolvedFilter] {
        try check(filters.count, atMost: ModelLimits.filtersPerQuery, "filters")
        var resolved: [ResolvedFilter] = []
        for filter in filters { resolved.append(try resolve(filter)) }
        return resolved
    }

    private func resolve(_ query: Query) throws(CloudError) -> ResolvedQuery {
        let filters = try resolveFilters(query.filters)
        try check(query.sorts.count, atMost: ModelLimits.sortsPerQuery, "sort keys")
        if query.filters.isEmpty {
            let names = type.systemFields[.recordName]?.kinds ?? []
            guard names.contains(.queryable) else { throw missing("queryable", found(.recordName)) }
        }
        var sorts: [ResolvedSort] = []
        for sort in query.sorts {
            let resolved = try resolve(sort)
            // A second sort by the same key decides nothing.
            let isRepeated = sorts.contains { $0.field == resolved.field && $0.center == resolved.center }
            if !isRepeated { sorts.append(resolved) }
        }
        return ResolvedQuery(recordType: type.name, filters: filters, sorts: sorts)
    }

    // MARK: - Filters

    private func resolve(_ filter: Filter) throws(CloudError) -> ResolvedFilter {
        guard let name = filter.field else { return try resolveSearch(filter) }
        let field = try find(name)
        // OpenCloudKit writes "nearer than" as a comparison of a place with a distance.
        let isDistance =
            field.type == FieldType(.location) && filter.distance != nil
            && [.lessThan, .lessThanOrEquals].contains(filter.comparator)
        let comparator = isDistance ? .near : filter.comparator
        let rule = ComparatorRule(comparator)
        guard !field.type.isEncrypted, rule.applies(to: field.type) else {
            throw CloudError(
                .badRequest,
                "Field '\(field.name)' has a value type of \(field.type) and cannot be queried using filter type "
                    + filter.comparator.rawValue)
        }
        guard let index = field.index, !index.kinds.isDisjoint(with: rule.indexes) else {
            throw missing(rule.indexes == .searchable ? "searchable" : "queryable", field)
        }
        let operand = try operand(of: filter, comparator, rule, field)
        return ResolvedFilter(comparator: comparator, fields: [field.queryable(index)], operand: operand)
    }

    private func operand(
        of filter: Filter, _ comparator: Comparator, _ rule: ComparatorRule, _ field: FoundField
    ) throws(CloudError) -> ResolvedFilter.Operand {
        let subject = "filter \(filter.comparator.rawValue) on field '\(field.name)' in record '\(type.name)'"
        var input = filter.value
        input.isEncrypted = false
        // Records are named by plain strings as well as by references.
        if field.type.scalar == .reference, [.scalar(.string), .list(.string)].contains(input.declaredType) {
            input.declaredType = nil
        }
        if rule.takesList {
            guard case .list(let members) = input.value else {
                throw CloudError(.badRequest, "Invalid value, expected a list for \(subject)")
            }
            try check(members.count, atMost: ModelLimits.valuesPerFilter, "values in \(subject)")
            // Clients leave the list out of the type, or the type of the members.
            if case .scalar(let scalar)? = input.declaredType { input.declaredType = .list(scalar) }
            let wanted = FieldType(field.type.scalar, isList: true)
            guard case .list(_, let elements)? = try FieldCoercion.value(of: input, as: wanted, subject: subject)
            else { throw CloudError(.badRequest, "Invalid value, expected \(wanted) for \(subject)") }
            for element in elements { try checkPlace(element, subject) }
            return .values(elements.map { field.comparable($0) })
        }
        let wanted = FieldType(rule.takesText ? .string : field.type.scalar)
        guard case .scalar(let value)? = try FieldCoercion.value(of: input, as: wanted, subject: subject) else {
            throw CloudError(.badRequest, "Invalid value, expected \(wanted) but there was none, for \(subject)")
        }
        try checkPlace(value, subject)
        switch (comparator, value) {
        case (.near, .location(let center)):
            return .circle(center, radius: try radius(filter.distance, subject))
        case (.containsAllTokens, .string(let text)), (.containsAnyTokens, .string(let text)):
            return .words(try Tokenizer.terms(ofSearch: text))
        default: return .value(field.comparable(value))
        }
    }

    /// Words in any searchable field.
    private func resolveSearch(_ filter: Filter) throws(CloudError) -> ResolvedFilter {
        let rule = ComparatorRule(filter.comparator)
        guard rule.indexes == .searchable else {
            throw CloudError(.badRequest, "Filter \(filter.comparator.rawValue) on type '\(type.name)' needs a field")
        }
        let fields = type.queryableFields.filter {
            $0.index.kinds.contains(.searchable) && $0.type.scalar == .string && !$0.type.isEncrypted
        }
        guard !fields.isEmpty else {
            throw CloudError(.badRequest, "Type '\(type.name)' has no field that is marked searchable")
        }
        let subject = "filter \(filter.comparator.rawValue) on type '\(type.name)'"
        let value = try FieldCoercion.value(of: filter.value, as: FieldType(.string), subject: subject)
        guard case .scalar(.string(let text))? = value else {
            throw CloudError(.badRequest, "Invalid value, expected STRING but there was none, for \(subject)")
        }
        return ResolvedFilter(
            comparator: filter.comparator, fields: fields.sorted { ByteOrder.precedes($0.name, $1.name) },
            operand: .words(try Tokenizer.terms(ofSearch: text)))
    }

    private func radius(_ distance: Double?, _ subject: String) throws(CloudError) -> Double {
        guard let distance else { throw CloudError(.badRequest, "A distance in metres is missing in \(subject)") }
        guard distance >= 0 else {
            throw CloudError(.badRequest, "The distance must be a non-negative number of metres in \(subject)")
        }
        return min(distance, ModelLimits.greatestDistance)
    }

    private func checkPlace(_ value: ScalarValue, _ subject: String) throws(CloudError) {
        guard case .location(let place) = value, !place.isOnEarth else { return }
        throw CloudError(
            .badRequest, "Latitudes must be from -90 to 90 degrees and longitudes from -180 to 180 in \(subject)")
    }

    // MARK: - Sorts

    private func resolve(_ sort: Sort) throws(CloudError) -> ResolvedSort {
        let field = try find(sort.field)
        if let center = sort.relativeLocation {
            guard field.type == FieldType(.location) else {
                throw CloudError(
                    .badRequest,
                    "Field '\(field.name)' has a value type of \(field.type) and cannot be sorted by distance")
            }
            guard sort.ascending else {
                throw CloudError(.badRequest, "Field '\(field.name)' can be sorted by distance in ascending order only")
            }
            guard let index = field.index, !index.kinds.isDisjoint(with: [.queryable, .sortable]) else {
                throw missing("queryable", field)
            }
            try checkPlace(.location(center), "sort on field '\(field.name)' in record '\(type.name)'")
            return ResolvedSort(field: field.queryable(index), ascending: true, center: center)
        }
        if field.type == FieldType(.location) {
            throw CloudError(
                .badRequest,
                "Field '\(field.name)' has a value type of \(field.type) and cannot be sorted without relativeLocation")
        }
        guard !field.type.isList, !field.type.isEncrypted, IndexValue.isOrdered(field.type.scalar),
            let index = field.index, index.kinds.contains(.sortable)
        else { throw missing("sortable", field) }
        return ResolvedSort(field: field.queryable(index), ascending: sort.ascending, center: nil)
    }

    // MARK: - Fields and messages

    private func find(_ name: QueryField) throws(CloudError) -> FoundField {
        switch name {
        case .system(let field): return found(field)
        case .named(let name):
            if let field = type.fields[name] {
                return FoundField(
                    source: .named(field), type: field.type, index: field.index, building: field.building)
            }
            // Many clients name system fields like others.
            if let field = SystemField(anySpelling: name) { return found(field) }
            throw CloudError(.badRequest, "Did not find field: '\(name)' in type: '\(type.name)'")
        }
    }

    private func found(_ field: SystemField) -> FoundField {
        FoundField(
            source: .system(field), type: FieldType(field.type), index: type.systemFields[field],
            building: type.systemFieldsBuilding[field])
    }

    /// A field that lacks an index, or has it before long.
    private func missing(_ index: String, _ field: FoundField) -> CloudError {
        let kinds: FieldIndex.Kinds = index == "sortable" ? .sortable : index == "searchable" ? .searchable : .queryable
        guard let building = field.building, !building.kinds.isDisjoint(with: kinds) else {
            return CloudError(.badRequest, "Field '\(field.name)' is not marked \(index)")
        }
        return CloudError(
            .tryAgainLater,
            "Field '\(field.name)' is marked \(index), but the index is still being built from the records that were "
                + "there before; queries can use it when it is complete", retryAfter: ServiceLimits.indexRetryAfter)
    }

    private func check(_ count: Int, atMost limit: Int, _ what: String) throws(CloudError) {
        guard count > limit else { return }
        throw CloudError(.badRequest, "A query may have at most \(limit) \(what), and this one has \(count)")
    }
}

/// A field that a query names, with or without an index.
private struct FoundField {
    enum Source {
        case named(FieldSchema)
        case system(SystemField)
    }

    let source: Source
    let type: FieldType
    let index: FieldIndex?
    let building: FieldIndex?

    var name: String {
        switch source {
        case .named(let field): field.name
        case .system(let field): field.messageName
        }
    }

    /// Users have no zone, though clients send one with references to them.
    func comparable(_ value: ScalarValue) -> ScalarValue {
        switch (source, value) {
        case (.system(.createdUserRecordName), .reference(let user)),
            (.system(.modifiedUserRecordName), .reference(let user)):
            .reference(Reference(recordName: user.recordName))
        default: value
        }
    }

    func queryable(_ index: FieldIndex) -> QueryableField {
        switch source {
        case .named(let field): QueryableField(field, index: index)
        case .system(let field): QueryableField(field, index: index)
        }
    }
}
