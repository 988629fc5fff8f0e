import FoundationEssentials
import Glibc

/// A large file from one device to another, and the memory that the server and the agents need for it.
struct DriveLargeFile {
    let bench: Bench

    private static let greatestGrowth = 64.0

    private var size: Int { bench.settings.isQuick ? 1 << 26 : 1 << 30 }

    func findings() throws -> [Finding] {
        Progress.say("drive: a large file")
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let cloud = try StratusFiles(in: directory, bench)
        defer { cloud.server.stop() }
        let devices = try ["one", "other"].map { try DriveDevice(cloud, home: "\(directory.path)/\($0)") }
        defer { for device in devices { device.stop() } }
        for device in devices { try device.start() }
        try warmUp(devices)
        let processes = [cloud.server.processes[0]] + devices.map(\.process)
        let before = try processes.map { process in
            try ProcessTree.resetPeak(process)
            return ProcessTree.residentSize(process)
        }
        let (from, to) = ("\(devices[0].directory)/large", "\(devices[1].directory)/large")
        // Outside of the directory, so that the file is there from one moment on.
        let made = "\(devices[0].directory)-large"
        try Program.run(
            ["sh", "-c", "exec head -c \"$1\" /dev/urandom >\"$2\"", "sh", "\(size)", made], log: "/dev/null")
        let start = Clock.now()
        guard rename(made, from) == 0 else { throw BenchmarkError("no large file: errno \(errno)") }
        let seconds = try devices[1].settle(since: start, "the large file") { Self.size(of: to) == size }
        let growth = zip(processes, before).map { ProcessTree.peakSize($0) - $1 }
        let title = "drive, a file of \(size >> 20) MiB to the other device"
        return [Finding(title, "Stratus", Double(size) / 1e6 / seconds, "MB/s")]
            + zip(["server", "agent, upload", "agent, download"], growth).map { name, growth in
                Finding(title, "memory of the \(name)", growth, "MiB more at most")
                    .judged("< 64 MiB", growth < Self.greatestGrowth)
            }
    }

    /// Makes what is made once.
    private func warmUp(_ devices: [DriveDevice]) throws {
        try "small".write(toFile: "\(devices[0].directory)/small", atomically: false, encoding: .utf8)
        _ = try devices[1].settle(since: Clock.now(), items: 1, "the first file")
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
