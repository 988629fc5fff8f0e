/// Writes Prometheus' text format 0.0.4.
struct MetricsText {
    private(set) var text = ""

    mutating func append(_ family: MetricFamily) {
        text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n"
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
        for (labels, metric) in family.series.sorted(by: { $0.key < $1.key }) {
            switch metric {
            case .counter(let counter): append(family.name, labels, String(counter.value))
            case .gauge(let gauge): append(family.name, labels, Self.number(gauge.value))
            case .computed(let read): append(family.name, labels, Self.number(read()))
            case .histogram(let histogram): append(family.name, labels, histogram)
            }
        }
    }

    private mutating func append(_ name: String, _ labels: String, _ value: String) {
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    private mutating func append(_ name: String, _ labels: String, _ histogram: Histogram) {
        let prefix = labels.isEmpty ? "" : labels + ","
        var count: UInt64 = 0
        for (bound, inBucket) in zip(histogram.bounds + [.infinity], histogram.counts) {
            count += inBucket
            append(name + "_bucket", "\(prefix)le=\"\(Self.number(bound))\"", String(count))
        }
        append(name + "_sum", labels, Self.number(histogram.sum))
        // The count of the buckets as just written, so that it equals the last of them even under load.
        append(name + "_count", labels, String(count))
    }

    /// `name="value",…`, sorted by name.
    static func labels(_ labels: [String: String]) -> String {
        labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }
            .joined(separator: ",")
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": output.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": output.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: output.append(contentsOf: "\\\"".unicodeScalars)
            default: output.append(scalar)
            }
        }
        return String(output)
    }
}
