import FoundationEssentials
import Glibc

/// Upload and download of one large asset at a time beside nginx, and the server's memory meanwhile.
struct AssetMeasure {
    let bench: Bench

    private static let leastRatio = 0.6
    private static let greatestGrowth = 32.0
    private static let size = 100_000_000
    /// Transfers of one server before the other's turn.
    private static let transfersPerRound = 3

    private struct Times {
        var up: [Double] = []
        var down: [Double] = []
    }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let nginx = try NginxFiles(in: directory.path)
        defer { nginx.stop() }
        let stratus = try Stratus(try StratusData.make(at: "\(directory.path)/data", .development, tool: bench.tool))
        defer { stratus.stop() }
        let client = try Transfer(size: Self.size)
        // Whatever is made once is made now, on both sides.
        var warmUp = Times()
        try carryOut(nginx, client, into: &warmUp)
        try carryOut(stratus, client, into: &warmUp)
        try ProcessTree.resetPeak(stratus.processes[0])
        let before = ProcessTree.residentSize(stratus.processes[0])

        var (theirs, own) = (Times(), Times())
        for round in 1...bench.settings.rounds {
            Progress.say("asset, round \(round) of \(bench.settings.rounds)")
            for _ in 0..<Self.transfersPerRound { try carryOut(nginx, client, into: &theirs) }
            for _ in 0..<Self.transfersPerRound { try carryOut(stratus, client, into: &own) }
        }
        let growth = ProcessTree.peakSize(stratus.processes[0]) - before
        return compared("asset upload", theirs.up, own.up).map {
            $0.noted("nginx does not sync; Stratus answers when the asset is on disk and its SHA-256 is known")
        } + compared("asset download", theirs.down, own.down) + [
            Finding("asset memory", "Stratus", growth, "MiB more at most")
                .judged("< 32 MiB", growth < Self.greatestGrowth)
        ]
    }

    private func compared(_ title: String, _ theirs: [Double], _ own: [Double]) -> [Finding] {
        func finding(_ name: String, _ seconds: [Double]) -> Finding {
            var finding = Finding(title, name, Double(Self.size) / 1e6 / median(seconds), "MB/s")
            finding.p50 = median(seconds) * 1_000
            finding.p99 = (seconds.max() ?? .nan) * 1_000
            return finding
        }
        let base = finding("nginx, PUT and sendfile", theirs)
        let ours = finding("Stratus", own).compared(to: base, "nginx")
        return [base, ours.judged("≥ 0.6 × nginx", ours.ratio ?? 0 >= Self.leastRatio)]
    }

    // MARK: - Transfers

    private func carryOut(_ server: NginxFiles, _ client: Transfer, into times: inout Times) throws {
        let url = "http://127.0.0.1:\(server.port)/\(UUID().uuidString)"
        let up = try client.send("PUT", url).seconds
        times.up.append(up)
        times.down.append(try client.fetch(url))
    }

    private func carryOut(_ server: Stratus, _ client: Transfer, into times: inout Times) throws {
        let name = UUID().uuidString
        let place = try server.post(
            "assets/upload",
            #"{"tokens":[{"recordType":"File","fieldName":"content","recordName":"\#(name)"}]}"#)
        let sent = try client.send("POST", try Self.text("url", in: String(decoding: place.body, as: UTF8.self)))
        // {"singleFile":{…}}
        let asset = sent.body.dropFirst(14).dropLast()
        let record = #"{"recordType":"File","recordName":"\#(name)","fields":{"content":{"value":\#(asset)}}}"#
        let saved = try server.post(
            "records/modify", #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
        let url = try Self.text("downloadURL", in: String(decoding: saved.body, as: UTF8.self))
        let down = try client.fetch(url.replacing("${f}", with: "content"))
        times.up.append(sent.seconds)
        times.down.append(down)
    }

    /// The string member of a name, which needs no unescaping.
    private static func text(_ name: String, in json: String) throws -> String {
        guard let start = json.firstRange(of: "\"\(name)\":\"") else {
            throw BenchmarkError("no \(name) in \(json.prefix(500))")
        }
        return String(json[start.upperBound...].prefix { $0 != "\"" })
    }
}
