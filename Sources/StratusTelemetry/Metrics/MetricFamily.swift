/// The kinds of metric, by their names in the text format.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// One metric under one label set.
enum Metric: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case computed(@Sendable () -> Double)
    case histogram(Histogram)
}

/// All label sets of one name.
struct MetricFamily: Sendable {
    let name: String
    let help: String
    let kind: MetricKind
    /// By the text of the labels, without braces.
    private(set) var series: [String: Metric] = [:]

    init(name: String, help: String, kind: MetricKind) {
        self.name = name
        self.help = help
        self.kind = kind
    }

    /// The metric of these labels, made if new. Labels may come from outside, so their number is bounded.
    mutating func series(_ labels: [String: String], _ make: () -> Metric) -> Metric {
        var key = MetricsText.labels(labels)
        if let metric = series[key] { return metric }
        if series.count >= TelemetryLimits.seriesPerMetric {
            key = MetricsText.labels(["overflow": "true"])
            if let metric = series[key] { return metric }
        }
        let metric = make()
        series[key] = metric
        return metric
    }
}

/// What may be a name.
enum MetricName {
    static func isValid(_ name: String) -> Bool { isIdentifier(name, extra: UInt8(ascii: ":")) }

    static func isValidLabel(_ name: String) -> Bool { isIdentifier(name, extra: UInt8(ascii: "_")) }

    private static func isIdentifier(_ name: String, extra: UInt8) -> Bool {
        func isInitial(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte == extra || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard let first = name.utf8.first, isInitial(first) else { return false }
        return name.utf8.allSatisfy { isInitial($0) || (0x30...0x39).contains($0) }
    }
}
