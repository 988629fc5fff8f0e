/// What one user's flood does to another user: 99 % of the other's answers, with and without it.
struct FloodMeasure {
    let bench: Bench

    private static let title = "flood"
    private static let greatestRatio = 2.0
    /// Requests of one user a second, where they are limited.
    private static let rate = 100
    /// Connections of the one who is measured.
    private static let connections = 8
    /// Milliseconds that each of them rests before a request: below the rate, all together.
    private static let rest = 100
    private static let known = 10_000

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let data = try StratusData.make(at: "\(directory.path)/data", .production, tool: bench.tool)
        try bench.dataSets.fill(data, Self.known)
        let flooder = try data.asAnother("flood@example.org", .production)
        let limited = try findings(
            data, flooder, "100 requests a second", options: ["--user-rate", "\(Self.rate)"])
        return try limited + findings(data, flooder, "no rate set", options: [])
    }

    private func findings(
        _ data: StratusData, _ flooder: StratusData, _ name: String, options: [String]
    ) throws -> [Finding] {
        let server = try Stratus(data, options: options)
        defer { server.stop() }
        return try RequestKind.all(of: Self.known).map { load in
            var calm: [Double] = []
            var flooded: [Double] = []
            for round in 1...bench.settings.rounds {
                Progress.say("\(Self.title) of \(load.name), \(name), round \(round) of \(bench.settings.rounds)")
                calm.append(try p99(server, load, data))
                let flood = try Wrk.flood(load.script(server, flooder), port: server.port, in: bench.directory)
                defer { flood.end() }
                flooded.append(try p99(server, load, data))
            }
            let (before, during) = (median(calm), median(flooded))
            var finding = Finding(Self.title, "\(load.name), \(name)", during, "ms p99")
                .noted(
                    "\(Settings.connections) connections of another user at full speed; calm \(Table.number(before)) ms"
                )
            finding.ratio = during / before
            finding.ratioTo = "calm"
            return finding.judged("≤ 2 × calm", during <= Self.greatestRatio * before)
        }
    }

    /// Milliseconds.
    private func p99(_ server: Stratus, _ load: RequestKind, _ data: StratusData) throws -> Double {
        try bench.sample(
            server, load.script(server, data).resting(Self.rest), connections: Self.connections
        ).result.p99
    }
}
