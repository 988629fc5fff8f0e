import FoundationEssentials
import Glibc

/// The backup of a device with many small files, and a second one without changes, beside restic to a directory of the same
/// disk.
struct BackupMeasure {
    let bench: Bench

    private static let greatestRatio = 1.5
    private static let folders = 200
    private static let filesPerFolder = 100
    private static let fileSize = 4_096
    private static let runs = 3
    private static let email = "backup@example.org"

    private struct Times {
        var first: [Double] = []
        var second: [Double] = []
    }

    private struct AppPassword: Decodable { var password: String }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let data = try StratusData.make(at: "\(directory.path)/data", .development, tool: bench.tool)
        try bench.tool.run(
            ["account", "create", "--email", Self.email, "--password-stdin"], data: data.path,
            input: "\(bench.tool.directory)/password")
        let stratus = try Stratus(data)
        defer { stratus.stop() }
        let made = try bench.tool.run(
            ["account", "app-password", "create", "--email", Self.email, "--name", "bench"], data: data.path,
            as: AppPassword.self)
        let secret = "\(directory.path)/app-password"
        try made.password.write(toFile: secret, atomically: false, encoding: .utf8)
        // What restic and the tool keep goes with the directory.
        for name in ["XDG_DATA_HOME", "XDG_CACHE_HOME"] { setenv(name, "\(directory.path)/\(name)", 1) }
        setenv("RESTIC_PASSWORD", "only-for-this-run", 1)
        let source = "\(directory.path)/source"
        try Self.makeFiles(in: source)

        var (theirs, own) = (Times(), Times())
        for run in 1...Self.runs {
            Progress.say("backup, run \(run) of \(Self.runs)")
            try carryOut(restic: "\(directory.path)/repository-\(run)", source, into: &theirs)
            try carryOut(stratus, "bench-\(run)", source, secret, into: &own)
        }
        return compared("first", theirs.first, own.first) + compared("unchanged", theirs.second, own.second)
    }

    private func compared(_ which: String, _ theirs: [Double], _ own: [Double]) -> [Finding] {
        let files = "\(Self.folders * Self.filesPerFolder) files of 4 KiB, \(which)"
        let base = Finding("device backup", "restic to a directory, \(files)", median(theirs), "s")
        let ours = Finding("device backup", "'stratus device backup', \(files)", median(own), "s")
            .compared(to: base, "restic to a directory")
        return [base, ours.judged("≤ 1.5 × restic to a directory", (ours.ratio ?? .infinity) <= Self.greatestRatio)]
    }

    private func carryOut(restic repository: String, _ source: String, into times: inout Times) throws {
        let restic = ["restic", "--quiet", "--repo", repository]
        _ = try seconds(restic + ["init", "--repository-version", "2"])
        let backup = restic + ["backup", "--one-file-system", "--exclude-caches", source]
        times.first.append(try seconds(backup))
        times.second.append(try seconds(backup))
    }

    /// The repository is created by a backup of nothing.
    private func carryOut(
        _ stratus: Stratus, _ device: String, _ source: String, _ secret: String, into times: inout Times
    ) throws {
        let command = [bench.tool.binary, "device", "backup", "--json", "--device", device]
        let empty = "\(source)-empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        _ = try seconds(
            command + ["--url", "http://127.0.0.1:\(stratus.port)", "--email", Self.email, "--password-stdin", empty],
            input: secret)
        times.first.append(try seconds(command + [source]))
        times.second.append(try seconds(command + [source]))
    }

    private func seconds(_ command: [String], input: String = "/dev/null") throws -> Double {
        let child = try ChildProcess(command, log: bench.tool.log, input: input)
        guard child.wait() == 0 else {
            throw BenchmarkError("\(command[0]) failed: \(Program.tail(of: bench.tool.log))")
        }
        return Clock.seconds(since: child.started)
    }

    /// Files of random bytes, which neither restic nor a disk makes smaller.
    private static func makeFiles(in directory: String) throws {
        var random = SystemRandomNumberGenerator()
        for folder in 0..<folders {
            let path = "\(directory)/\(folder)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for file in 0..<filesPerFolder {
                let bytes = (0..<fileSize / 8).flatMap { _ in
                    withUnsafeBytes(of: random.next()) { Array($0) }
                }
                try Data(bytes).write(to: URL(filePath: "\(path)/\(file)"))
            }
        }
    }
}
