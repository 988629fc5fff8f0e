/// A page of 200 in order of an indexed field, from few and from many records.
struct PageMeasure {
    let bench: Bench

    private static let unit = "pages/s"
    private static let title = "page of 200"
    private static let greatestCost = 1.5
    /// Different pages that are asked for.
    private static let variety = 1_000

    private struct Explanation: Decodable {
        var keysRead: Int
        var recordsRead: Int
        var recordsReturned: Int
    }

    func findings() throws -> [Finding] {
        let many = bench.settings.records
        let few = try server(Settings.fewRecords)
        defer { few.stop() }
        let large = try server(many)
        defer { large.stop() }
        let readBefore = FileCache.bytesRead(by: large.processes)
        let rounds = try Rounds(
            bench.settings.rounds, Self.title,
            [contestant(few, Settings.fewRecords), contestant(large, many)])
        let base = rounds.finding(Self.title, few.name, unit: Self.unit)
            .noted(try explain(few, Settings.fewRecords))
        let megabytes = (FileCache.bytesRead(by: large.processes) - readBefore) / 1_000_000
        var finding = rounds.finding(Self.title, large.name, unit: Self.unit)
            .noted("\(try explain(large, many)); \(megabytes) MB came from the disk in all rounds")
        // On a busy machine time tells little, on an idle one both say the same: the worse one counts.
        finding.ratio = max(base.value / finding.value, (finding.cpu ?? 0) / (base.cpu ?? .infinity))
        finding.ratioTo = "the cost"
        return [base, finding.judged("≤ 1.5 × the cost", finding.ratio ?? .infinity <= Self.greatestCost)]
    }

    private func server(_ count: Int) throws -> Stratus {
        try Stratus(try bench.dataSets.articles(count), name: "Stratus, \(count) records")
    }

    private func contestant(_ server: Stratus, _ count: Int) -> Rounds.Contestant {
        // All over the index, so that pages of the file are read as they come, not always the same few.
        let starts = (0..<Self.variety).map { $0 * (count - Settings.batch) / Self.variety }
        return Rounds.Contestant(name: server.name) { [bench] in
            let probe = try server.post("records/query", Stratus.page(from: starts[starts.count / 2]))
            let names = String(decoding: probe.body, as: UTF8.self).components(separatedBy: "\"recordType\":").count - 1
            guard names >= Settings.batch else { throw BenchmarkError("a page has \(names) records") }
            let script = server.pages(from: starts)
            // The goal is about processors; with blocks that come from the disk a round measures the disk.
            try FileCache.warm(server.data.path)
            _ = try bench.sample(server, script, seconds: 1)
            let sample = try bench.sample(server, script)
            let share = sample.result.bytesPerRequest / Double(probe.size)
            guard share > 0.95, share < 1.05 else {
                throw BenchmarkError("pages have \(share) times the bytes that a full one has")
            }
            return sample
        }
    }

    private func explain(_ server: Stratus, _ count: Int) throws -> String {
        let explanation = try bench.tool.run(
            ["query"] + server.data.target + [
                "--type", Article.recordType, "--filter", "count >= \(count / 2)", "--sort", "count",
                "--limit", "\(Settings.batch)", "--explain",
            ], data: server.data.path, as: Explanation.self)
        let perRecord = Double(explanation.keysRead) / Double(max(explanation.recordsReturned, 1))
        return "\(explanation.keysRead) keys and \(explanation.recordsRead) records read for "
            + "\(explanation.recordsReturned) returned: \(Table.number(perRecord)) keys a record"
    }
}
