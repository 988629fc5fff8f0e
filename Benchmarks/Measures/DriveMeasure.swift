import FoundationEssentials
import Glibc

/// A directory that is synchronized on two devices: many small files beside `rclone` with nginx's WebDAV, and the time
/// from one device to the other.
struct DriveMeasure {
    let bench: Bench

    private static let longestDelay = 1.0

    private var files: Int { bench.settings.isQuick ? 1_000 : 10_000 }
    private var delays: Int { bench.settings.isQuick ? 20 : 200 }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let source = SmallFiles(count: files, in: "\(directory.path)/source")
        try source.make()
        let rclone = try rclone(source, in: directory)
        let cloud = try StratusFiles(in: directory, bench)
        defer { cloud.server.stop() }
        let devices = try ["one", "other"].map { try DriveDevice(cloud, home: "\(directory.path)/\($0)") }
        defer { for device in devices { device.stop() } }
        let own = try synchronize(source, devices)
        return compared("up", rclone.up, own.up) + compared("down", rclone.down, own.down) + (try delay(devices))
    }

    private func rclone(_ source: SmallFiles, in directory: TemporaryDirectory) throws -> (up: Double, down: Double) {
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
        let back = SmallFiles(count: files, in: "\(directory.path)/copy")
        let times = (up: try copy(source.directory, remote), down: try copy(remote, back.directory))
        guard back.found == files else { throw BenchmarkError("rclone did not bring all files back") }
        return times
    }

    private func synchronize(_ source: SmallFiles, _ devices: [DriveDevice]) throws -> (up: Double, down: Double) {
        Progress.say("drive: \(files) files up")
        try devices[0].start()
        // All files are there from one moment on.
        let start = Clock.now()
        guard rename(source.directory, "\(devices[0].directory)/tree") == 0 else {
            throw BenchmarkError("cannot rename the tree: errno \(errno)")
        }
        let items = files + source.folders
        let up = try devices[0].settle(since: start, items: items, "uploading")
        Progress.say("drive: \(files) files down")
        let second = Clock.now()
        try devices[1].start()
        let copy = SmallFiles(count: files, in: "\(devices[1].directory)/tree")
        let down = try devices[1].settle(since: second, items: items, "downloading") { copy.found == files }
        return (up, down)
    }

    private func compared(_ which: String, _ theirs: Double, _ own: Double) -> [Finding] {
        let title = "drive, \(files) files of 4 KiB \(which)"
        let base = Finding(title, "rclone with nginx's WebDAV", Double(files) / theirs, "files/s")
        let ours = Finding(title, "Stratus, two devices", Double(files) / own, "files/s").compared(to: base, "rclone")
        return [base, ours.judged("≥ 1 × rclone", (ours.ratio ?? 0) >= 1)]
    }

    private func delay(_ devices: [DriveDevice]) throws -> [Finding] {
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
        let last = seconds[min(seconds.count - 1, seconds.count * 99 / 100)]
        var finding = Finding(
            "drive, close() to the file on the other device", "Stratus", median(seconds) * 1_000, "ms")
        (finding.p50, finding.p99) = (median(seconds) * 1_000, last * 1_000)
        finding.note = "beside \(files) other files"
        return [finding.judged("p99 < 1 s", last < Self.longestDelay)]
    }
}

/// Files of random bytes, which nobody makes smaller or has already, in folders of 100.
struct SmallFiles {
    let count: Int
    let directory: String

    private static let size = 4_096
    private static let perFolder = 100

    init(count: Int, in directory: String) { (self.count, self.directory) = (count, directory) }

    /// The directory itself is one of them.
    var folders: Int { 1 + (count + Self.perFolder - 1) / Self.perFolder }

    func make() throws {
        var random = SystemRandomNumberGenerator()
        for number in 0..<count {
            let folder = "\(directory)/\(number / Self.perFolder)"
            if number.isMultiple(of: Self.perFolder) {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            let bytes = (0..<Self.size / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(number)"))
        }
    }

    /// How many are there. Hidden ones, which stand for files that are not on the device, do not count.
    var found: Int {
        let manager = FileManager.default
        return ((try? manager.contentsOfDirectory(atPath: directory)) ?? []).reduce(0) { count, folder in
            let names = (try? manager.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []
            return count + names.count { !$0.hasPrefix(".") }
        }
    }
}
