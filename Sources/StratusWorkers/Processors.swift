import Glibc

/// The processors that this process may use.
public enum Processors {
    /// How many, at least one: the machine's, and no more than the time that its control group (version 2) is given comes
    /// to, as where a container has a part of a large machine.
    public static let count: Int = {
        let usable = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        guard let quota = quota(in: firstLine(of: "/sys/fs/cgroup/cpu.max")) else { return usable }
        return min(usable, quota)
    }()

    /// Processors that a control group's `cpu.max` comes to, rounded up: two numbers, the microseconds of processor time
    /// in each so many microseconds. Nil for `max`, and for what is no such line.
    static func quota(in line: String) -> Int? {
        let words = line.split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let time = Int(words[0]), let period = Int(words[1]), time > 0, period > 0 else {
            return nil
        }
        return (time - 1) / period + 1
    }

    private static func firstLine(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
