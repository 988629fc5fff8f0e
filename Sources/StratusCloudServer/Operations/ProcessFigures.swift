import Glibc

/// What the kernel knows about this process. Reads `/proc`, so it blocks, though never for long.
struct ProcessFigures: Sendable {
    /// Bytes of memory in use.
    var residentMemory: Double
    /// Open file descriptors.
    var openFiles: Double
    /// Seconds of processor time, in the process and for it in the kernel.
    var processorTime: Double

    /// The figures now; what cannot be read is 0.
    static func current() -> ProcessFigures {
        ProcessFigures(
            residentMemory: residentPages() * Double(sysconf(Int32(_SC_PAGESIZE))), openFiles: descriptors(),
            processorTime: processorSeconds())
    }

    /// The second number of `/proc/self/statm`.
    private static func residentPages() -> Double {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    }

    private static func descriptors() -> Double {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Not counted: the entries for the folder itself and its parent, and the descriptor that reads it.
        return Double(max(0, count - 3))
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
