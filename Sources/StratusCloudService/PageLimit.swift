import StratusCloudModel

/// How many items a page of an answer may have.
enum PageLimit {
    /// Above the limit is at the limit, as at Apple; below one is a mistake.
    static func resolve(_ wanted: Int?) throws(CloudError) -> Int {
        guard let wanted else { return ModelLimits.recordsPerResponse }
        guard wanted >= 1 else {
            throw CloudError(
                .badRequest, "resultsLimit must be 1 to \(ModelLimits.recordsPerResponse), not \(wanted)")
        }
        return min(wanted, ModelLimits.recordsPerResponse)
    }
}
