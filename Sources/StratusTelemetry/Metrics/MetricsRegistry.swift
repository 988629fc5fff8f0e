import StratusWorkers

/// The metrics of a process. Resolve a metric once, keep it, and observe through it: that takes no lock and no memory.
///
/// Names are `[a-zA-Z_:][a-zA-Z0-9_:]*`, label names `[a-zA-Z_][a-zA-Z0-9_]*`; anything else, or one name for two
/// kinds of metric, is a programming error and stops the process.
public final class MetricsRegistry: Sendable {
    /// The media type of `exposition()`.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let families = Lock<[String: MetricFamily]>([:])

    /// A registry without metrics.
    public init() {}

    /// The counter of that name and these labels; the first call creates it.
    public func counter(_ name: String, help: String, labels: [String: String] = [:]) -> Counter {
        guard case .counter(let counter) = series(name, help, .counter, labels, { .counter(Counter()) }) else {
            preconditionFailure("\(name) is no counter")
        }
        return counter
    }

    /// The gauge of that name and these labels; the first call creates it.
    public func gauge(_ name: String, help: String, labels: [String: String] = [:]) -> Gauge {
        guard case .gauge(let gauge) = series(name, help, .gauge, labels, { .gauge(Gauge()) }) else {
            preconditionFailure("\(name) is no gauge that can be set")
        }
        return gauge
    }

    /// A gauge whose value `read` computes at each scrape. It runs on the scraping thread and must not block.
    public func gauge(
        _ name: String, help: String, labels: [String: String] = [:], read: @escaping @Sendable () -> Double
    ) {
        _ = series(name, help, .gauge, labels) { .computed(read) }
    }

    /// The histogram of that name and these labels; the first call creates it with ascending upper `bounds`.
    public func histogram(
        _ name: String, help: String, bounds: [Double] = Histogram.latencyBounds, labels: [String: String] = [:]
    ) -> Histogram {
        precondition(labels["le"] == nil, "the label le belongs to the buckets")
        let found = series(name, help, .histogram, labels) { .histogram(Histogram(bounds: bounds)) }
        guard case .histogram(let histogram) = found else { preconditionFailure("\(name) is no histogram") }
        precondition(histogram.bounds == bounds, "\(name) has other bounds")
        return histogram
    }

    /// All metrics in Prometheus' text format 0.0.4, sorted by name and labels.
    public func exposition() -> String {
        // Computed gauges run outside of the lock, since they may themselves ask for a metric.
        let families = families.withLock { families in families.values.sorted { $0.name < $1.name } }
        var text = MetricsText()
        for family in families { text.append(family) }
        return text.text
    }

    private func series(
        _ name: String, _ help: String, _ kind: MetricKind, _ labels: [String: String], _ make: @Sendable () -> Metric
    ) -> Metric {
        precondition(MetricName.isValid(name), "\(name) is no name of a metric")
        precondition(labels.keys.allSatisfy(MetricName.isValidLabel), "\(name) has a bad label name")
        return families.withLock { families in
            if let known = families[name]?.kind { precondition(known == kind, "\(name) is a \(known.rawValue)") }
            return families[name, default: MetricFamily(name: name, help: help, kind: kind)].series(labels, make)
        }
    }
}
