import StratusTelemetry
import StratusWorkers

/// Holds log lines that anybody can cause to so many a second, so that they fill no disk and hide no other line, and
/// counts the others.
final class StrangerLines: Sendable {
    private let rate = Lock(LineRate(perSecond: ServerLimits.strangerLogLines))
    private let suppressed: Counter
    private let start = ContinuousClock.now

    init(registry: MetricsRegistry) {
        suppressed = registry.counter(
            "stratus_log_lines_suppressed_total",
            help: "Log lines about requests without a credential that were left out because there were too many.")
    }

    /// Whether a line may be written now, and how many were not since that was last asked for.
    func admit() -> (isAdmitted: Bool, suppressed: Int) {
        let second = (ContinuousClock.now - start).components.seconds
        let result = rate.withLock { rate in
            rate.admit(at: second) ? (true, rate.takeSuppressed()) : (false, 0)
        }
        if !result.0 { suppressed.increment() }
        return result
    }

    /// Lines that were left out since that was last asked for.
    func takeSuppressed() -> Int { rate.withLock { $0.takeSuppressed() } }
}

/// So many lines in each second, and what was more.
struct LineRate {
    private let perSecond: Int
    private var second: Int64 = 0
    private var lines = 0
    private var suppressed = 0

    init(perSecond: Int) { self.perSecond = perSecond }

    mutating func admit(at second: Int64) -> Bool {
        if second != self.second { (self.second, lines) = (second, 0) }
        guard lines < perSecond else {
            suppressed += 1
            return false
        }
        lines += 1
        return true
    }

    mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
