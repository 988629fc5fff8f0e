/// From the start of the process until it says that it listens, on a large data directory.
struct StartMeasure {
    let bench: Bench

    private static let runs = 9
    private static let greatestMilliseconds = 150.0

    func findings() throws -> [Finding] {
        let data = try bench.dataSets.articles(bench.settings.records)
        var times: [Double] = []
        for _ in 0..<Self.runs {
            let server = try Stratus(data)
            times.append(server.secondsToReady * 1_000)
            server.stop()
        }
        let time = median(times)
        let name = "Stratus, \(bench.settings.records) records"
        var note =
            "\(Self.runs) starts with a warm cache, "
            + "\(Table.number(times.min() ?? 0)) to \(Table.number(times.max() ?? 0)) ms"
        if let rate = bench.dataSets.importRates[bench.settings.records] {
            note += "; 'stratus import' made the data set at \(Int(rate)) records/s"
        }
        return [
            Finding("start", name, time, "ms").noted(note)
                .judged("≤ 150 ms", time <= Self.greatestMilliseconds)
        ]
    }
}
