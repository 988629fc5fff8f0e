import StratusCloudModel

/// Queries, alike in requests and in the answers that repeat them.
extension JSONWriter {
    /// A query whose numbers are all finite.
    mutating func query(_ query: Query) {
        beginObject()
        key("recordType")
        string(query.recordType)
        if !query.filters.isEmpty {
            key("filterBy")
            beginArray()
            for filter in query.filters { self.filter(filter) }
            endArray()
        }
        if !query.sorts.isEmpty {
            key("sortBy")
            beginArray()
            for sort in query.sorts { self.sort(sort) }
            endArray()
        }
        endObject()
    }

    private mutating func filter(_ filter: Filter) {
        beginObject()
        key("comparator")
        string(filter.comparator.rawValue)
        if let field = filter.field { queryField(field) }
        key("fieldValue")
        field(filter.value)
        optional("distance", filter.distance)
        endObject()
    }

    private mutating func sort(_ sort: Sort) {
        beginObject()
        queryField(sort.field)
        key("ascending")
        boolean(sort.ascending)
        if let location = sort.relativeLocation {
            key("relativeLocation")
            field(FieldInput(.scalar(.location(location)), declaredType: .scalar(.location)))
        }
        endObject()
    }

    private mutating func queryField(_ field: QueryField) {
        switch field {
        case .named(let name):
            key("fieldName")
            string(name)
        case .system(let field):
            key("systemFieldName")
            string(field.wireName)
        }
    }
}
