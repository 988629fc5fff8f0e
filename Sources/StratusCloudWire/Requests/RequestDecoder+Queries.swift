import StratusCloudModel

extension RequestDecoder {
    /// `records/query`. At most ``ModelLimits/filtersPerQuery`` filters and ``ModelLimits/sortsPerQuery`` sort keys.
    public func queryRecords(_ body: [UInt8]) throws(CloudError) -> Decoded<QueryRecordsRequest> {
        let body = try open(body)
        return Decoded(
            QueryRecordsRequest(
                query: try body.required("query").query(), zoneID: try body.zoneID("zoneID"),
                zoneWide: try body.flag("zoneWide") ?? false,
                resultsLimit: try body.count("resultsLimit"),
                continuationMarker: try body.text("continuationMarker"),
                desiredKeys: try body.texts("desiredKeys")),
            options: try options(body))
    }
}

extension JSONReader {
    func query() throws(CloudError) -> Query {
        var query = Query(recordType: try required("recordType").string())
        let filters = oneOrMany("filterBy")
        let sorts = oneOrMany("sortBy")
        guard filters.count <= ModelLimits.filtersPerQuery else {
            throw refusal("has \(filters.count) filters; the limit is \(ModelLimits.filtersPerQuery)")
        }
        guard sorts.count <= ModelLimits.sortsPerQuery else {
            throw refusal("has \(sorts.count) sort keys; the limit is \(ModelLimits.sortsPerQuery)")
        }
        for filter in filters { query.filters.append(try filter.filter()) }
        for sort in sorts { query.sorts.append(try sort.sort()) }
        return query
    }

    private func filter() throws(CloudError) -> Filter {
        var comparator = try required("comparator").comparator()
        let field = try queryField()
        guard field != nil || comparator == .containsAllTokens || comparator == .containsAnyTokens else {
            throw refusal("names no field")
        }
        let fieldValue = try required("fieldValue")
        let value = try fieldValue.filterValue(field)
        let distance = try number("distance")
        // One client asks for places nearer than a distance in these words.
        if distance != nil, comparator == .lessThan || comparator == .lessThanOrEquals,
            case .scalar(.location) = value.value
        {
            comparator = .near
        }
        return Filter(comparator, field, value, distance: distance)
    }

    private func comparator() throws(CloudError) -> Comparator {
        let word = try string()
        if let comparator = Comparator(rawValue: word) { return comparator }
        guard word == "CONTAINS_ANY" else { throw refusal("is not a known comparator") }
        return .listContainsAny
    }

    /// The field a filter or a sort is about. Under `fieldName` only the names that no field of an app can have mean
    /// system fields: an app may well have a field called `parent`.
    private func queryField() throws(CloudError) -> QueryField? {
        if let name = member("systemFieldName") {
            guard let field = SystemField(anySpelling: try name.string()) else {
                throw name.refusal("is not a known system field")
            }
            return .system(field)
        }
        guard let name = try text("fieldName") else { return nil }
        if name.hasPrefix("___"), let field = SystemField(anySpelling: name) { return .system(field) }
        return .named(name)
    }

    /// The field dictionary beside a comparator.
    private func filterValue(_ field: QueryField?) throws(CloudError) -> FieldInput {
        if let value = try fieldNamedInside(field) { return value }
        return try self.field()
    }

    /// The value of a system field as one client sends it: inside another object, under the field's name. For record
    /// names that is the form of the value itself.
    private func fieldNamedInside(_ field: QueryField?) throws(CloudError) -> FieldInput? {
        guard case .system(let system) = field, let outer = member("value"), outer.kind == .object, outer.count == 1
        else { return nil }
        for (name, inner) in try outer.members() where SystemField(anySpelling: name) == system {
            if system == .recordName, name == system.wireName { return nil }
            let declared = try member("type").map { (type) throws(CloudError) in try type.declaredType().0 }
            return FieldInput(try inner.input(declared: declared), declaredType: declared)
        }
        return nil
    }

    private func sort() throws(CloudError) -> Sort {
        try requireObject()
        guard let field = try queryField() else { throw refusal("names no field") }
        let location = member("relativeLocation")
        return Sort(
            field, ascending: try flag("ascending") ?? true,
            relativeLocation: try location.map { (place) throws(CloudError) in
                try (place.member("value") ?? place).location()
            })
    }
}
