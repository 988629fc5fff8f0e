/// Memory under all loads in turn.
struct SoakMeasure {
    let bench: Bench

    private static let greatestSize = 200.0
    /// Seconds of a load before the next one.
    private static let slice = 5
    private static let known = 2_000
    /// Growth from the second third of the time to the last one.
    private static let greatestGrowth = 1.05
    /// Minutes from which on growth is judged.
    private static let minutesToJudge = 10.0

    func findings() throws -> [Finding] {
        guard bench.settings.soakMinutes > 0 else { return [] }
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let data = try StratusData.make(at: "\(directory.path)/data", .production, tool: bench.tool)
        try bench.dataSets.fill(data, Self.known)
        let server = try Stratus(data)
        defer { server.stop() }
        let loads = [
            server.lookups(of: (0..<Self.known).map(Article.name)), server.creates(1), server.creates(Settings.batch),
            server.pages(from: Array(stride(from: 0, to: Self.known - Settings.batch, by: 10))),
        ]
        var sizes: [Double] = []
        let start = Clock.now()
        Progress.say("soak: \(bench.settings.soakMinutes) minutes")
        while Clock.seconds(since: start) < bench.settings.soakMinutes * 60 {
            for load in loads {
                _ = try bench.sample(server, load, seconds: Self.slice)
                sizes.append(ProcessTree.residentSize(server.processes[0]))
            }
        }
        let third = sizes.count / 3
        let growth = mean(sizes.suffix(third)) / mean(sizes[third..<(sizes.count - third)])
        let size = ProcessTree.peakSize(server.processes[0])
        let note =
            "resident after each load: \(sizes.map { Int($0) }); the last third is "
            + "\(Table.number(growth)) × the second"
        // In a few minutes caches are still filling.
        let isShort = bench.settings.soakMinutes < Self.minutesToJudge
        let goal = isShort ? "≤ 200 MiB (flat: not judged before 10 min)" : "≤ 200 MiB and flat"
        return [
            Finding("soak memory", "Stratus, \(Int(bench.settings.soakMinutes)) min", size, "MiB at most")
                .noted(note).judged(goal, size <= Self.greatestSize && (isShort || growth <= Self.greatestGrowth))
        ]
    }

    private func mean(_ values: ArraySlice<Double>) -> Double {
        values.isEmpty ? 1 : values.reduce(0, +) / Double(values.count)
    }
}
