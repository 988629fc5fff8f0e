import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// What a database holds.
    /// - Throws: the errors of ``DatabaseAddress``.
    public func usage(of scope: DatabaseScope, as caller: Caller) async throws(CloudError) -> Usage {
        let address = try DatabaseAddress(scope, nil, caller)
        return try await reading(address.partition) { try UsageLedger.usage(in: $0) }
    }

    /// What has been refused, and found damaged, so far.
    public func statistics() -> ServiceStatistics {
        var statistics = ServiceStatistics()
        statistics.throttled = throttle.statistics
        for (kind, count) in zip(DatabaseScope.allCases, quotaRefusals) {
            statistics.quotaRefusals[kind] = count.value
        }
        statistics.damagedAssets = damagedReads.value
        return statistics
    }

    func countQuotaRefusals(in results: [RecordResult], _ scope: DatabaseScope) {
        for case .failed(_, let error) in results where error.code == .quotaExceeded {
            quotaRefusals[scope.index].increment()
        }
    }
}
