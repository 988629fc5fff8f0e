import FoundationEssentials
import Glibc

/// A folder that is synchronized on two devices: many small files beside `rclone` with nginx's WebDAV, the time from one
/// device to the other, a large file, and an agent that has nothing to do.
struct DriveMeasure {
    let bench: Bench

    private static let fileSize = 4_096
    private static let filesPerFolder = 100
    private static let longestDelay = 1.0
    private static let greatestGrowth = 64.0
    private static let greatestIdleShare = 0.001

    private var files: Int { bench.settings.isQuick ? 1_000 : 10_000 }
    private var idleItems: Int { bench.settings.isQuick ? 1_000 : 100_000 }
    private var idleSeconds: Int { bench.settings.isQuick ? 5 : 60 }
    private var delays: Int { bench.settings.isQuick ? 20 : 200 }
    private var largeSize: Int { bench.settings.isQuick ? 1 << 26 : 1 << 30 }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let source = "\(directory.path)/source"
        try Self.makeFiles(files, in: source)
        let rclone = try rclone(source, in: directory)
        let stratus = try Stratus(
            try StratusData.make(at: "\(directory.path)/data", .development, tool: bench.tool))
        defer { stratus.stop() }
        let devices = try ["one", "other"].map { try DriveDevice(stratus, home: "\(directory.path)/\($0)") }
        defer { for device in devices { device.stop() } }
        let own = try synchronize(source, devices, stratus)
        return compared("up", rclone.up, own.up) + compared("down", rclone.down, own.down)
            + (try delays(devices)) + (try large(devices, stratus)) + (try idle(devices[0], stratus))
    }

    // MARK: - Many small files

    private func rclone(_ source: String, in directory: TemporaryDirectory) throws -> (up: Double, down: Double) {
        let nginx = try NginxFiles(in: directory.path, isWhole: true)
        defer { nginx.stop() }
        let remote = ":webdav,url='http://127.0.0.1:\(nginx.port)/',vendor=other:tree"
        func copy(_ from: String, _ to: String) throws -> Double {
            let start = Clock.now()
            try Program.run(
                ["rclone", "--config", "/dev/null", "copy", "--transfers", "8", from, to],
                log: "\(directory.path)/rclone.log")
            return Clock.seconds(since: start)
        }
        Progress.say("drive: rclone to nginx and back")
        let up = try copy(source, remote)
        let down = try copy(remote, "\(directory.path)/copy")
        guard Self.count(of: "\(directory.path)/copy") == files else {
            throw BenchmarkError("rclone did not bring all files back")
        }
        return (up, down)
    }

    private func synchronize(
        _ source: String, _ devices: [DriveDevice], _ stratus: Stratus
    ) throws -> (up: Double, down: Double) {
        Progress.say("drive: \(files) files up and down")
        try devices[0].start()
        // All files are there from one moment on.
        let start = Clock.now()
        guard rename(source, "\(devices[0].directory)/tree") == 0 else {
            throw BenchmarkError("cannot rename the tree: errno \(errno)")
        }
        let up = try devices[0].settle(since: start, "uploading") { try Self.records(on: stratus) >= files }
        let second = Clock.now()
        try devices[1].start()
        let tree = "\(devices[1].directory)/tree"
        let down = try devices[1].settle(since: second, "downloading") { Self.count(of: tree) == files }
        return (up, down)
    }

    private func compared(_ which: String, _ theirs: Double, _ own: Double) -> [Finding] {
        let title = "drive, \(files) files of 4 KiB \(which)"
        let base = Finding(title, "rclone with nginx's WebDAV", Double(files) / theirs, "files/s")
        let ours = Finding(title, "Stratus, two devices", Double(files) / own, "files/s")
            .compared(to: base, "rclone")
        return [base, ours.judged("≥ 1 × rclone", (ours.ratio ?? 0) >= 1)]
    }

    // MARK: - From one device to the other

    private func delays(_ devices: [DriveDevice]) throws -> [Finding] {
        Progress.say("drive: from one device to the other")
        var seconds: [Double] = []
        for number in 0..<delays {
            let name = "delay-\(number)"
            try Data("\(number)".utf8).write(to: URL(filePath: "\(devices[0].directory)/\(name)"))
            let closed = Clock.now()
            while access("\(devices[1].directory)/\(name)", F_OK) != 0 {
                guard Clock.seconds(since: closed) < 60 else { throw BenchmarkError("\(name) did not arrive") }
                usleep(1_000)
            }
            seconds.append(Clock.seconds(since: closed))
        }
        seconds.sort()
        let last = seconds[Swift.min(seconds.count - 1, seconds.count * 99 / 100)]
        var finding = Finding("drive, close() to the file on the other device", "Stratus", last * 1_000, "ms, p99")
        finding.p50 = median(seconds) * 1_000
        finding.p99 = last * 1_000
        return [finding.judged("p99 < 1 s", last < Self.longestDelay)]
    }

    // MARK: - A large file

    private func large(_ devices: [DriveDevice], _ stratus: Stratus) throws -> [Finding] {
        Progress.say("drive: a large file")
        let processes = [stratus.processes[0]] + devices.map(\.process)
        let before = try processes.map { process in
            try ProcessTree.resetPeak(process)
            return ProcessTree.residentSize(process)
        }
        let (from, to) = ("\(devices[0].directory)/large", "\(devices[1].directory)/large")
        // Outside of the folder, so that the file is there from one moment on.
        let made = "\(devices[0].directory)-large"
        try Program.run(
            ["sh", "-c", "exec head -c \"$1\" /dev/urandom >\"$2\"", "sh", "\(largeSize)", made], log: bench.tool.log)
        let start = Clock.now()
        guard rename(made, from) == 0 else { throw BenchmarkError("no large file: errno \(errno)") }
        let seconds = try devices[1].settle(since: start, "the large file") { Self.size(of: to) == largeSize }
        let growth = zip(processes, before).map { ProcessTree.peakSize($0) - $1 }
        return [
            Finding("drive, a file of \(largeSize >> 20) MiB to the other device", "Stratus", seconds, "s")
        ]
            + zip(["server", "agent, upload", "agent, download"], growth).map { name, growth in
                Finding("drive, memory for the large file", name, growth, "MiB more at most")
                    .judged("< 64 MiB", growth < Self.greatestGrowth)
            }
    }

    // MARK: - Nothing to do

    private func idle(_ device: DriveDevice, _ stratus: Stratus) throws -> [Finding] {
        Progress.say("drive: an idle agent over \(idleItems) items")
        let missing = Swift.max(0, idleItems - files)
        if missing > 0 {
            try Self.makeFiles(missing, in: "\(device.directory)/more", size: 1)
            let start = Clock.now()
            _ = try device.settle(since: start, "uploading \(missing) files") {
                try Self.records(on: stratus) >= idleItems
            }
        }
        let before = ProcessTree.cpuSeconds([device.process])
        sleep(UInt32(idleSeconds))
        let share = (ProcessTree.cpuSeconds([device.process]) - before) / Double(idleSeconds)
        let memory = ProcessTree.residentSize(device.process)
        let title = "drive, idle over \(idleItems) items"
        return [
            Finding(title, "agent, CPU", share * 100, "% of a core")
                .judged("< 0.1 %", share < Self.greatestIdleShare),
            Finding(title, "agent, memory", memory, "MiB").judged("< 64 MiB", memory < Self.greatestGrowth),
        ]
    }

    // MARK: - Files

    private struct Usage: Decodable { var records: Int }

    /// Records of the person, of which each item is one.
    private static func records(on server: Stratus) throws -> Int {
        let (data, tool) = (server.data, server.data.tool)
        return try tool.run(["usage"] + data.target("private"), data: data.path, as: Usage.self).records
    }

    /// Files of random bytes, which nobody makes smaller or has already.
    private static func makeFiles(_ count: Int, in directory: String, size: Int = fileSize) throws {
        var random = SystemRandomNumberGenerator()
        for number in 0..<count {
            let folder = "\(directory)/\(number / filesPerFolder)"
            if number.isMultiple(of: filesPerFolder) {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            let bytes = (0..<(size + 7) / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
            try Data(bytes.prefix(size)).write(to: URL(filePath: "\(folder)/\(number)"))
        }
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Files in the folders of a directory. Hidden ones, which stand for files that are not here, do not count.
    private static func count(of directory: String) -> Int {
        let manager = FileManager.default
        return ((try? manager.contentsOfDirectory(atPath: directory)) ?? []).reduce(0) { count, folder in
            let names = (try? manager.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []
            return count + names.count { !$0.hasPrefix(".") }
        }
    }
}
