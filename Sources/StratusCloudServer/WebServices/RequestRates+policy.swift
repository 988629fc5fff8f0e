import StratusCloudService

extension RequestRates {
    /// All that is limited, as the header `RateLimit-Policy` has it: `"user";q=100;w=1` are 100 in a second.
    var policy: String {
        [("address", perAddress), ("token", perToken), ("user", perUser), ("people", people)]
            .compactMap { name, rate in rate.map { "\"\(name)\";q=\($0.count);w=\(max(1, $0.span / 1_000))" } }
            .joined(separator: ", ")
    }
}
