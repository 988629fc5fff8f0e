import FoundationEssentials
import Glibc

/// How often threads of this process went to sleep, and so were woken.
enum WakeUps {
    static func count() -> Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.reduce(0) { sum, thread in
            let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(whereSeparator: { $0 == ":" || $0 == "\t" }).last.flatMap { Int($0) } ?? 0)
        }
    }
}
