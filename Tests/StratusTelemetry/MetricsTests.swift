import StratusTelemetry
import Testing

@Suite struct MetricsTests {
    @Test func everyKindInTheTextFormat() {
        let registry = MetricsRegistry()
        registry.counter("requests_total", help: "Requests.", labels: ["route": "query", "method": "POST"]).increment()
        registry.counter("requests_total", help: "Requests.", labels: ["route": "query", "method": "POST"])
            .increment(by: 2)
        registry.counter("requests_total", help: "Requests.").increment()
        registry.gauge("connections", help: "Open connections.").add(1.5)
        registry.gauge("memory_bytes", help: "Memory.") { 1e6 }
        let histogram = registry.histogram("latency_seconds", help: "Latency.", bounds: [0.5, 1], labels: ["a": "b"])
        for value in [0.25, 0.5, 0.75, 2] { histogram.observe(value) }
        #expect(
            registry.exposition() == """
                # HELP connections Open connections.
                # TYPE connections gauge
                connections 1.5
                # HELP latency_seconds Latency.
                # TYPE latency_seconds histogram
                latency_seconds_bucket{a="b",le="0.5"} 2
                latency_seconds_bucket{a="b",le="1"} 3
                latency_seconds_bucket{a="b",le="+Inf"} 4
                latency_seconds_sum{a="b"} 3.5
                latency_seconds_count{a="b"} 4
                # HELP memory_bytes Memory.
                # TYPE memory_bytes gauge
                memory_bytes 1000000
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total 1
                requests_total{method="POST",route="query"} 3

                """)
    }

    @Test func helpAndLabelsAreEscaped() {
        let registry = MetricsRegistry()
        registry.counter("c", help: "a\\b\n\"c\"", labels: ["l": "a\\b\n\"c\""]).increment()
        #expect(
            registry.exposition() == #"""
                # HELP c a\\b\n"c"
                # TYPE c counter
                c{l="a\\b\n\"c\""} 1

                """#)
    }

    @Test func numbersThatAreNone() {
        let registry = MetricsRegistry()
        registry.gauge("a", help: "") { .nan }
        registry.gauge("b", help: "") { -.infinity }
        registry.gauge("c", help: "") { 1e-9 }
        let lines = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines == ["a NaN", "b -Inf", "c 1e-09"])
    }

    @Test func observationsOfManyTasksAreAllCounted() async {
        let registry = MetricsRegistry()
        let counter = registry.counter("c", help: "")
        let gauge = registry.gauge("g", help: "")
        let histogram = registry.histogram("h", help: "")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<5_000 {
                        counter.increment()
                        gauge.add(1)
                        histogram.observe(.milliseconds(1))
                    }
                }
            }
        }
        #expect(counter.value == 20_000)
        #expect(gauge.value == 20_000)
        #expect(histogram.count == 20_000)
        #expect(abs(histogram.sum - 20) < 0.000_1)
    }

    @Test func anUnorderedObservationFallsInTheLastBucket() {
        let histogram = MetricsRegistry().histogram("h", help: "", bounds: [1])
        histogram.observe(.nan)
        #expect(histogram.count == 1)
    }

    @Test func labelSetsAreBounded() {
        let registry = MetricsRegistry()
        for index in 0..<TelemetryLimits.seriesPerMetric + 500 {
            registry.counter("c", help: "", labels: ["user": "\(index)"]).increment()
        }
        let lines = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == TelemetryLimits.seriesPerMetric + 1)
        #expect(lines.contains("c{overflow=\"true\"} 500"))
    }
}
