import Synchronization

/// Counts observations in buckets with fixed upper bounds.
public final class Histogram: Sendable {
    /// Seconds from half a millisecond to ten seconds, for the latency of requests.
    public static let latencyBounds: [Double] = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// The upper bounds, inclusive, ascending; a last bucket takes the rest.
    public let bounds: [Double]

    private let total = AtomicDouble()
    private let buckets: [Counter]

    init(bounds: [Double]) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<) && bounds.allSatisfy(\.isFinite))
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    /// The sum of all observations.
    public var sum: Double { total.value }

    /// The number of all observations.
    public var count: UInt64 { counts.reduce(0, +) }

    /// Observations of each bucket; the last is without bound.
    var counts: [UInt64] { buckets.map(\.value) }

    /// Counts `value`.
    public func observe(_ value: Double) {
        var bucket = 0
        while bucket < bounds.count, !(value <= bounds[bucket]) { bucket += 1 }
        buckets[bucket].increment()
        total.add(value)
    }

    /// Counts `duration` in seconds.
    public func observe(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        observe(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}
