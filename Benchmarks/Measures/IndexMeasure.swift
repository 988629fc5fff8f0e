import FoundationEssentials
import StratusCSQLite

/// An index that is new on stored records: how long it takes to build, beside bare SQLite that inserts the same entries,
/// and what it does to other requests meanwhile.
struct IndexMeasure {
    let bench: Bench

    private static let title = "index"
    private static let greatestTime = 3.0
    private static let greatestLatency = 2.0
    /// Connections of the one who is measured, and milliseconds that each rests before a request.
    private static let connections = 8
    private static let rest = 20
    private static let seconds = 2

    private struct Indexes: Decodable {
        struct Index: Decodable { var isComplete: Bool }
        var indexes: [Index]
    }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let records = bench.settings.records
        let data = try StratusData.make(at: "\(directory.path)/data", .production, tool: bench.tool)
        try bench.dataSets.fill(data, records)
        let server = try Stratus(data, options: [])
        defer { server.stop() }
        let bare = try insert(records, in: directory.path)
        let built = try build("tags LIST<STRING> QUERYABLE", data, directory.path)
        var time = Finding(Self.title, "building over \(records) records", built, "s")
            .noted("two entries a record; bare SQLite inserts them in \(Table.number(bare)) s")
        time.ratio = built / bare
        time.ratioTo = "bare SQLite"
        return [
            time.judged("≤ 3 × bare SQLite", built <= Self.greatestTime * bare)
        ] + (try latencies(server, data, directory.path))
    }

    /// 99 % of the answers to others, before a build and while one goes on.
    private func latencies(_ server: Stratus, _ data: StratusData, _ directory: String) throws -> [Finding] {
        Progress.say("\(Self.title): other requests while an index is built")
        let kinds = RequestKind.all(of: bench.settings.records)
        let calm = try kinds.map { kind in
            median(try (0..<bench.settings.rounds).map { _ in try p99(server, kind, data) })
        }
        try apply("rating DOUBLE QUERYABLE SORTABLE, body STRING SEARCHABLE", data, directory)
        var during: [[Double]] = kinds.map { _ in [] }
        measuring: while true {
            for (index, kind) in kinds.enumerated() {
                let sample = try p99(server, kind, data)
                if try isComplete(data) { break measuring }
                during[index].append(sample)
            }
        }
        guard during.allSatisfy({ !$0.isEmpty }) else {
            throw BenchmarkError("the index was built before everything could be measured")
        }
        return kinds.indices.map { index in
            let busy = median(during[index])
            var finding = Finding(Self.title, "\(kinds[index].name) meanwhile", busy, "ms p99")
                .noted("calm \(Table.number(calm[index])) ms; \(during[index].count) samples of \(Self.seconds) s")
            finding.ratio = busy / calm[index]
            finding.ratioTo = "calm"
            return finding.judged("≤ 2 × calm", busy <= Self.greatestLatency * calm[index])
        }
    }

    /// Milliseconds.
    private func p99(_ server: Stratus, _ kind: RequestKind, _ data: StratusData) throws -> Double {
        try bench.sample(
            server, kind.script(server, data).resting(Self.rest), seconds: Self.seconds, connections: Self.connections
        ).result.p99
    }

    /// Seconds until the index of a field is complete.
    private func build(_ field: String, _ data: StratusData, _ directory: String) throws -> Double {
        Progress.say("\(Self.title): building")
        let start = Clock.now()
        try apply(field, data, directory)
        while try !isComplete(data) {}
        return Clock.seconds(since: start)
    }

    private func apply(_ fields: String, _ data: StratusData, _ directory: String) throws {
        let file = "\(directory)/index.ckdb"
        try "DEFINE SCHEMA RECORD TYPE \(Article.recordType) (\(fields));"
            .write(toFile: file, atomically: false, encoding: .utf8)
        try bench.tool.run(["schema", "apply", file] + context(data), data: data.path)
    }

    private func isComplete(_ data: StratusData) throws -> Bool {
        try bench.tool.run(["schema", "indexes"] + context(data), data: data.path, as: Indexes.self)
            .indexes.allSatisfy(\.isComplete)
    }

    private func context(_ data: StratusData) -> [String] {
        ["--container", StratusData.container, "--environment", data.environment]
    }

    /// Seconds that SQLite takes to insert two entries for each record, in transactions as large as a build's.
    private func insert(_ records: Int, in directory: String) throws -> Double {
        Progress.say("\(Self.title): bare SQLite")
        let database = try Database("\(directory)/bare.db", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try database.execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA cache_size = -16384;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            CREATE TABLE entry (k TEXT PRIMARY KEY NOT NULL, v INTEGER) WITHOUT ROWID;
            """)
        let start = Clock.now()
        for batch in stride(from: 0, to: records, by: 100) {
            let rows = (batch..<min(batch + 100, records)).flatMap { number -> [String] in
                let name = Article.name(number)
                return ["('\(name.suffix(4))/\(name)', \(number))", "('harbour/\(name)', \(number))"]
            }
            try database.execute("BEGIN; INSERT INTO entry VALUES \(rows.joined(separator: ",")); COMMIT")
        }
        return Clock.seconds(since: start)
    }
}
