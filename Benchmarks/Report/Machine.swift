import FoundationEssentials
import Glibc
import StratusCSQLite

/// What the figures depend on.
enum Machine {
    static func describe(_ directory: String) -> [String] {
        let memory = field("MemTotal", of: "/proc/meminfo").flatMap { Double($0.prefix { $0 != " " }) } ?? 0
        let model = field("model name", of: "/proc/cpuinfo") ?? "unknown processor"
        let load = text("/proc/loadavg")?.split(separator: " ").first ?? "?"
        return [
            "Machine: \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores of \(model), \(Int(memory / 1_048_576)) GiB, "
                + "Linux \(text("/proc/sys/kernel/osrelease") ?? "?"), \(fileSystem(directory)) under \(directory); "
                + "load average at the start \(load)"
        ]
    }

    static func versions(_ settings: Settings) -> [String] {
        let versions: [String?] = [
            Program.version([settings.stratus, "version"]), Program.version(["nginx", "-v"]),
            Program.version(["etcd", "--version"]), "SQLite \(String(cString: sqlite3_libversion()))",
            Kinto.version(settings), PostgreSQL.version, Program.version(["wrk", "--version"]),
        ]
        return ["Versions: " + versions.compactMap(\.self).joined(separator: "; ")]
    }

    private static func field(_ name: String, of file: String) -> String? {
        let line = text(file)?.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let line, let colon = line.firstIndex(of: ":") else { return nil }
        return String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
    }

    private static func text(_ path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.last == "\n" ? String(text.dropLast()) : text
    }

    /// The kind of the file system, from the mount that the directory is under.
    private static func fileSystem(_ directory: String) -> String {
        let mounts = (text("/proc/self/mounts") ?? "").split(separator: "\n").map { $0.split(separator: " ") }
        let above = mounts.filter { $0.count > 2 && (directory + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
        return above.max { $0[1].count < $1[1].count }.map { String($0[2]) } ?? "unknown file system"
    }
}
