/// How long a check of everything takes, beside reading all rows once, and what a quick one takes.
struct DoctorMeasure {
    let bench: Bench

    private static let runs = 3
    private static let greatestRatio = 4.0
    private static let greatestQuickSeconds = 10.0

    func findings() throws -> [Finding] {
        let data = try bench.dataSets.articles(bench.settings.records)
        var (reads, checks, quick): ([Double], [Double], [Double]) = ([], [], [])
        // In turn, so that what changes on the machine meets all of them.
        for run in 1...Self.runs {
            Progress.say("doctor, run \(run) of \(Self.runs)")
            reads.append(try seconds(["verify"], data))
            checks.append(try seconds(["doctor"], data))
            quick.append(try seconds(["doctor", "--quick"], data))
        }
        let records = "\(bench.settings.records) records"
        let read = Finding("doctor", "reading all rows once, \(records)", median(reads), "s")
        let check = Finding("doctor", "'stratus doctor', \(records)", median(checks), "s").compared(
            to: read, "reading all rows")
        return [
            read, check.judged("≤ 4 × reading", (check.ratio ?? .infinity) <= Self.greatestRatio),
            Finding("doctor", "'stratus doctor --quick', \(records)", median(quick), "s").judged(
                "≤ 10 s", median(quick) <= Self.greatestQuickSeconds),
        ]
    }

    private func seconds(_ command: [String], _ data: StratusData) throws -> Double {
        let start = Clock.now()
        try data.tool.run(command, data: data.path)
        return Clock.seconds(since: start)
    }
}
