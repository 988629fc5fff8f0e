import StratusCloudModel

extension ZoneChangesRequest {
    /// Checks how many names of fields or types a page is to be limited to.
    static func check(_ names: [String]?, _ key: String) throws(CloudError) {
        guard let count = names?.count, count > ModelLimits.desiredNames else { return }
        throw CloudError(
            .badRequest, "\(key) has \(count) names, which is more than the maximum of \(ModelLimits.desiredNames)")
    }
}
