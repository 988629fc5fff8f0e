/// `records/lookup` of one record beside nginx, which answers with as many bytes without looking at the request.
struct LookupMeasure {
    let bench: Bench

    private static let unit = "req/s"
    private static let title = "lookup"
    /// Different records that are asked for.
    private static let variety = 1_000
    private static let leastRatio = 0.30
    private static let greatestP99 = 8.0
    /// Of a response's bytes: what headers may differ by.
    private static let tolerance = 0.02

    func findings() throws -> [Finding] {
        let stratus = try Stratus(try bench.dataSets.articles(Settings.fewRecords))
        defer { stratus.stop() }
        let names = (0..<Self.variety).map { Article.name($0 * (Settings.fewRecords / Self.variety)) }
        let probe = try stratus.post("records/lookup", #"{"records":[{"recordName":"\#(names[0])"}]}"#)
        let body = String(decoding: probe.body, as: UTF8.self)
        guard body.contains(Article.body), !body.contains("serverErrorCode") else {
            throw BenchmarkError("the lookup gives no record: \(body)")
        }
        let nginx = try Nginx(body: body, in: bench.directory)
        defer { nginx.stop() }
        let lookups = stratus.lookups(of: names)
        let kinto = try kintoLookups()

        var contestants = [
            contestant(nginx, lookups),
            contestant(stratus, lookups) { result in
                let difference = abs(result.bytesPerRequest / Double(probe.size) - 1)
                guard difference < Self.tolerance else {
                    throw BenchmarkError(
                        "answers have \(result.bytesPerRequest) bytes on average, a good one has \(probe.size)")
                }
            },
        ]
        if let kinto { contestants.append(contestant(kinto.server, kinto.script)) }
        let rounds = try Rounds(bench.settings.rounds, Self.title, contestants)

        let base = rounds.finding(Self.title, nginx.name, unit: Self.unit)
        let own = rounds.finding(Self.title, stratus.name, unit: Self.unit).compared(to: base, "nginx")
        let isMet = own.ratio ?? 0 >= Self.leastRatio && own.p99 ?? .infinity < Self.greatestP99
        var findings = [base, own.judged("≥ 0.30 × nginx, p99 < 8 ms", isMet)]
        if let kinto {
            findings.append(
                rounds.finding(Self.title, kinto.server.name, unit: Self.unit).compared(to: base, "nginx"))
        }
        return findings
    }

    private func contestant(
        _ server: any Server, _ script: LoadScript, check: @escaping (Wrk.Result) throws -> Void = { _ in }
    ) -> Rounds.Contestant {
        Rounds.Contestant(name: server.name) { [bench] in
            _ = try bench.sample(server, script, seconds: 1)
            let sample = try bench.sample(server, script)
            try check(sample.result)
            return sample
        }
    }

    private func kintoLookups() throws -> (server: Kinto, script: LoadScript)? {
        do {
            let kinto = try bench.sharedKinto()
            _ = try bench.sample(kinto, kinto.creates, seconds: 2)
            return (kinto, kinto.lookups(of: try kinto.identifiers(Self.variety)))
        } catch {
            Progress.say("Kinto is left out: \(error)")
            return nil
        }
    }
}
