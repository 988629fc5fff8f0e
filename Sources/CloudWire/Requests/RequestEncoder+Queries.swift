import CloudModel

extension RequestEncoder {
    /// `records/query`.
    public func queryRecords(_ request: QueryRecordsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("query")
            try write(request.query, to: &writer)
            writer.optional("zoneID", request.zoneID)
            if request.zoneWide { writer.optional("zoneWide", true) }
            if let limit = request.resultsLimit {
                writer.key("resultsLimit")
                writer.integer(limit)
            }
            writer.optional("continuationMarker", request.continuationMarker)
            writer.optional("desiredKeys", request.desiredKeys)
        }
    }

    private func write(_ query: Query, to writer: inout JSONWriter) throws(CloudError) {
        writer.beginObject()
        writer.key("recordType")
        writer.string(query.recordType)
        if !query.filters.isEmpty {
            writer.key("filterBy")
            writer.beginArray()
            for filter in query.filters { try write(filter, to: &writer) }
            writer.endArray()
        }
        if !query.sorts.isEmpty {
            writer.key("sortBy")
            writer.beginArray()
            for sort in query.sorts { try write(sort, to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ filter: Filter, to writer: inout JSONWriter) throws(CloudError) {
        guard filter.value.value.isFinite, filter.distance?.isFinite ?? true else {
            throw CloudError(.badRequest, "A \(filter.comparator.rawValue) filter has a number that is not finite.")
        }
        writer.beginObject()
        writer.key("comparator")
        writer.string(filter.comparator.rawValue)
        if let field = filter.field { write(field, to: &writer) }
        writer.key("fieldValue")
        writer.field(filter.value)
        writer.optional("distance", filter.distance)
        writer.endObject()
    }

    private func write(_ sort: Sort, to writer: inout JSONWriter) throws(CloudError) {
        writer.beginObject()
        write(sort.field, to: &writer)
        writer.key("ascending")
        writer.boolean(sort.ascending)
        if let location = sort.relativeLocation {
            let field = FieldInput(.scalar(.location(location)), declaredType: .scalar(.location))
            guard field.value.isFinite else {
                throw CloudError(.badRequest, "A sort key's location has a number that is not finite.")
            }
            writer.key("relativeLocation")
            writer.field(field)
        }
        writer.endObject()
    }

    private func write(_ field: QueryField, to writer: inout JSONWriter) {
        switch field {
        case .named(let name):
            writer.key("fieldName")
            writer.string(name)
        case .system(let field):
            writer.key("systemFieldName")
            writer.string(field.wireName)
        }
    }
}
