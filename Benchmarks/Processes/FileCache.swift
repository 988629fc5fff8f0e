import FoundationEssentials
import Glibc

/// What the kernel has of a directory's files in memory.
enum FileCache {
    /// Reads all files of a directory, so that they are there. A virtual machine may give memory that only caches files
    /// back to its host at any time.
    static func warm(_ directory: String) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory)
        withUnsafeTemporaryAllocation(byteCount: 1_048_576, alignment: 16) { buffer in
            for path in paths {
                let file = open("\(directory)/\(path)", O_RDONLY | O_CLOEXEC)
                // Sockets, and tables that have gone meanwhile.
                guard file >= 0 else { continue }
                while read(file, buffer.baseAddress, buffer.count) > 0 {}
                close(file)
            }
        }
    }

    /// Bytes that processes have read from disks since they were started.
    static func bytesRead(by processes: [pid_t]) -> Int {
        processes.reduce(0) { sum, pid in
            let text = (try? String(contentsOfFile: "/proc/\(pid)/io", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("read_bytes:") }
            return sum + (line.flatMap { Int($0.dropFirst("read_bytes: ".count)) } ?? 0)
        }
    }
}
