/// Durable creates, 200 a request, beside etcd's transactions and a bare loop over SQLite's C functions.
struct CreateManyMeasure {
    let bench: Bench

    private static let unit = "records/s"
    private static let title = "create-many"
    private static let leastRatioToEtcd = 2.0
    private static let leastRatioToSQLite = 0.5
    private static let development = "Stratus, all indexes"
    /// Of the rounds' records, what the loop keeps in memory at most.
    private static let loopRecords = 400_000

    func findings() throws -> [Finding] {
        let loop = LoopRates()
        let production = Creates.stratus(bench, Settings.batch, .production) { [bench] rows in
            try loop.run(rows, bench)
        }
        let contestants = [
            Creates.etcd(bench, Settings.batch), production,
            Creates.stratus(bench, Settings.batch, .development, name: Self.development),
        ]
        let rounds = try Rounds(bench.settings.rounds, Self.title, contestants)
        let findings = contestants.map {
            rounds.finding(Self.title, $0.name, items: Settings.batch, unit: Self.unit)
        }
        let own = findings[1].compared(to: findings[0], "etcd")
        var bare = Finding(Self.title, "bare SQLite loop", median(loop.rates), Self.unit).noted(loop.note)
        bare.cpu = median(loop.cpu)
        let beside = findings[1].compared(to: bare, "SQLite")
        return [
            findings[0], own.judged("≥ 2 × etcd", own.ratio ?? 0 >= Self.leastRatioToEtcd), bare,
            beside.judged("≥ 0.5 × SQLite", beside.ratio ?? 0 >= Self.leastRatioToSQLite),
            findings[2].compared(to: findings[0], "etcd"),
        ]
    }

    /// The loop's part of the rounds: it writes what Stratus has just written.
    private final class LoopRates {
        private(set) var rates: [Double] = []
        /// CPU microseconds a record.
        private(set) var cpu: [Double] = []
        private(set) var note: String?

        func run(_ rows: StoredRows, _ bench: Bench) throws {
            let articles = Array(try rows.articles().prefix(CreateManyMeasure.loopRecords))
            guard let last = articles.last else { throw BenchmarkError("Stratus made no record") }
            Progress.say("\(CreateManyMeasure.title): bare SQLite loop with \(articles.count) records")
            let directory = try TemporaryDirectory(in: bench.directory)
            defer { directory.remove() }
            let time = try BareLoop.write(articles, in: directory.path)
            rates.append(Double(articles.count) / time.elapsed)
            cpu.append(time.cpu * 1e6 / Double(articles.count))
            note = "\(last.rows) rows and \(last.size) bytes of keys and values a record"
        }
    }
}
