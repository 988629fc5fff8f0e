import FoundationEssentials
import Glibc

/// What the kernel knows of processes and what they started.
enum ProcessTree {
    /// CPU seconds that the processes and their living descendants have used.
    static func cpuSeconds(_ roots: [pid_t]) -> Double {
        var parents: [pid_t: pid_t] = [:]
        var ticks: [pid_t: Double] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            // After the name, which may contain anything: state, parent, …, and as 12th and 13th the times.
            guard let pid = pid_t(name), let text = read("/proc/\(name)/stat"),
                let end = text.lastIndex(of: ")")
            else { continue }
            let fields = text[text.index(after: end)...].split(separator: " ")
            guard fields.count > 12, let parent = pid_t(fields[1]), let user = Double(fields[11]),
                let system = Double(fields[12])
            else { continue }
            parents[pid] = parent
            ticks[pid] = user + system
        }
        let total = ticks.reduce(0) { sum, entry in
            var pid = entry.key
            while let parent = parents[pid], !roots.contains(pid) { pid = parent }
            return roots.contains(pid) ? sum + entry.value : sum
        }
        return total / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// CPU seconds of children that have ended and were waited for.
    static func endedChildrenSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        let micros = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + micros / 1e6
    }

    /// CPU seconds that the whole machine has worked.
    static func machineSeconds() -> Double {
        guard let line = read("/proc/stat")?.split(separator: "\n").first else { return 0 }
        let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard fields.count > 7 else { return 0 }
        // All but idle and waiting for the disk.
        let busy = fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]
        return busy / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Resident memory of a process in MiB.
    static func residentSize(_ pid: pid_t) -> Double { size("VmRSS:", of: pid) }

    /// The most resident memory that a process ever had, in MiB.
    static func peakSize(_ pid: pid_t) -> Double { size("VmHWM:", of: pid) }

    /// Makes ``peakSize(_:)`` begin again from what is resident now.
    static func resetPeak(_ pid: pid_t) throws {
        // 5 resets the peak: proc(5).
        try "5".write(toFile: "/proc/\(pid)/clear_refs", atomically: false, encoding: .utf8)
    }

    private static func size(_ field: String, of pid: pid_t) -> Double {
        let line = read("/proc/\(pid)/status")?.split(separator: "\n").first { $0.hasPrefix(field) }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        return (kibibytes.flatMap { Double($0) } ?? 0) / 1_024
    }

    private static func read(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
