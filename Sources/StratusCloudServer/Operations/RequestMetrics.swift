import StratusTelemetry

/// Counts the requests of one listener by route and status, and their time by route.
final class RequestMetrics: Sendable {
    /// Statuses whose counters are looked up beforehand; the registry's lock is only taken for others.
    private static let usualStatuses = [200, 400, 401, 403, 404, 409, 413, 421, 429, 499, 500, 503]

    private struct Series {
        var duration: Histogram
        var counters: [(status: Int, counter: Counter)]
    }

    private let registry: MetricsRegistry
    private let listener: String
    private let series: [RouteName: Series]

    /// - Parameter listener: `public` or `admin`.
    init(registry: MetricsRegistry, listener: String) {
        self.registry = registry
        self.listener = listener
        var series: [RouteName: Series] = [:]
        for route in RouteName.allCases {
            let labels = ["listener": listener, "route": route.label]
            series[route] = Series(
                duration: registry.histogram(
                    "stratus_http_request_duration_seconds", help: "Time from the whole request to its answer.",
                    labels: labels),
                counters: Self.usualStatuses.map { ($0, Self.counter(registry, labels, status: $0)) })
        }
        self.series = series
    }

    func record(_ route: RouteName, status: Int, duration: Duration) {
        guard let series = series[route] else { return }
        series.duration.observe(duration)
        if let known = series.counters.first(where: { $0.status == status }) {
            known.counter.increment()
        } else {
            Self.counter(registry, ["listener": listener, "route": route.label], status: status).increment()
        }
    }

    private static func counter(
        _ registry: MetricsRegistry, _ labels: [String: String], status: Int
    ) -> Counter {
        var labels = labels
        labels["status"] = String(status)
        return registry.counter("stratus_http_requests_total", help: "Requests answered.", labels: labels)
    }
}
