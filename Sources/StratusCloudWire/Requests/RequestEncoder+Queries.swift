import StratusCloudModel

extension RequestEncoder {
    /// `records/query`.
    public func queryRecords(_ request: QueryRecordsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            try request.query.checkNumbers()
            writer.key("query")
            writer.query(request.query)
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
}

extension Query {
    /// Refuses numbers for which JSON has no words.
    func checkNumbers() throws(CloudError) {
        for filter in filters where !filter.value.value.isFinite || filter.distance?.isFinite == false {
            throw CloudError(.badRequest, "A \(filter.comparator.rawValue) filter has a number that is not finite.")
        }
        for sort in sorts {
            guard let location = sort.relativeLocation, !InputValue.scalar(.location(location)).isFinite else {
                continue
            }
            throw CloudError(.badRequest, "A sort key's location has a number that is not finite.")
        }
    }
}
