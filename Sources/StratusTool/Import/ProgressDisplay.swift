import Glibc

/// Shows how far an import or export is: one line that is rewritten on a terminal, otherwise a
/// line for each quarter but the last, which the result tells.
struct ProgressDisplay {
    private static let width = 30
    /// Milliseconds between two bars.
    private static let interval: Int64 = 100

    private let total: Int64
    private let isTerminal: Bool
    private let output: Output
    private var shown: Int64 = -1
    private var lastQuarter: Int64 = 0

    init(total: Int64, output: Output) {
        self.total = total
        self.output = output
        isTerminal = output.showsProgress && isatty(STDERR_FILENO) == 1
    }

    mutating func update(done: Int64, records: Int, failed: Int) {
        guard output.showsProgress, total > 0 else { return }
        if isTerminal {
            let now = Self.milliseconds()
            guard shown < 0 || now - shown >= Self.interval else { return }
            shown = now
            output.note(bar(done, records, failed), terminator: "")
        } else if done < total, done * 4 / total > lastQuarter {
            lastQuarter = done * 4 / total
            output.note("\(lastQuarter * 25)% \(records) records\(failed > 0 ? ", \(failed) failed" : "")")
        }
    }

    /// Clears the bar, so that something else can be written.
    mutating func interrupt() {
        guard isTerminal, shown >= 0 else { return }
        output.note("\r\u{1B}[K", terminator: "")
        shown = -1
    }

    private func bar(_ done: Int64, _ records: Int, _ failed: Int) -> String {
        let filled = Int(min(done, total) * Int64(Self.width) / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let failures = failed > 0 ? ", \(failed) failed" : ""
        return "\r\u{1B}[K\(bar) \(min(done, total) * 100 / total)% \(records) records\(failures)"
    }

    private static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
