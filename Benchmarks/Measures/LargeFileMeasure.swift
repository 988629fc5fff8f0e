import FoundationEssentials
import Glibc

/// A file of 1 GiB up and down over WebDAV beside nginx, and the server's memory meanwhile.
struct LargeFileMeasure {
    let bench: Bench

    private static let leastRatio = 0.6
    private static let greatestGrowth = 64.0

    private var size: Int { bench.settings.isQuick ? 1 << 26 : 1 << 30 }

    private struct Times {
        var up: [Double] = []
        var down: [Double] = []
    }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let nginx = try NginxFiles(in: directory.path)
        defer { nginx.stop() }
        let data = try StratusData.make(at: "\(directory.path)/data", .development, tool: bench.tool)
        let files = try StratusFiles(data) { try Stratus($0) }
        let stratus = files.server
        defer { stratus.stop() }
        let client = try Transfer(size: size)
        // Whatever is made once is made now, on both sides.
        let small = try Transfer(size: 1 << 20)
        var warmUp = Times()
        try carryOut("http://127.0.0.1:\(nginx.port)/small", small, into: &warmUp)
        try carryOut(files.url("small"), small, into: &warmUp)
        try ProcessTree.resetPeak(stratus.processes[0])
        let before = ProcessTree.residentSize(stratus.processes[0])

        var (theirs, own) = (Times(), Times())
        for round in 1...bench.settings.rounds {
            Progress.say("large file, round \(round) of \(bench.settings.rounds)")
            try carryOut("http://127.0.0.1:\(nginx.port)/large", client, into: &theirs)
            try carryOut(files.url("large-\(round)"), client, into: &own)
        }
        let growth = ProcessTree.peakSize(stratus.processes[0]) - before
        return compared("file of 1 GiB, up", theirs.up, own.up).map {
            $0.noted("nginx does not sync; Stratus answers when the file is on disk and its SHA-256 is known")
        } + compared("file of 1 GiB, down", theirs.down, own.down) + [
            Finding("file of 1 GiB, memory", "Stratus", growth, "MiB more at most")
                .judged("< 64 MiB", growth < Self.greatestGrowth)
        ]
    }

    private func carryOut(_ url: String, _ client: Transfer, into times: inout Times) throws {
        times.up.append(try client.send("PUT", url).seconds)
        times.down.append(try client.fetch(url))
    }

    private func compared(_ title: String, _ theirs: [Double], _ own: [Double]) -> [Finding] {
        func finding(_ name: String, _ seconds: [Double]) -> Finding {
            Finding(title, name, Double(size) / 1e6 / median(seconds), "MB/s")
        }
        let base = finding("nginx, PUT and sendfile", theirs)
        let ours = finding("Stratus, WebDAV", own).compared(to: base, "nginx")
        return [base, ours.judged("≥ 0.6 × nginx", (ours.ratio ?? 0) >= Self.leastRatio)]
    }
}
