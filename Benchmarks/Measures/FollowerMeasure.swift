import FoundationEssentials

/// A client that follows a zone from the beginning, beside one that fetches the same pages from nginx as files; and
/// what a small page costs in zones of different sizes.
struct FollowerMeasure {
    let bench: Bench

    private static let title = "follower"
    private static let records = 100_000
    private static let leastRatio = 0.35
    /// Records in the zones that small pages are fetched from.
    private var zoneSizes: [Int] {
        [10, 1_000, Self.records, bench.settings.records].reduce(into: []) { sizes, size in
            if sizes.last != size { sizes.append(size) }
        }
    }
    private static let smallPage = 10
    private static let smallPages = 2_000
    private static let greatestCost = 1.5

    func findings() throws -> [Finding] {
        let fresh = try bench.freshStratus()
        defer { fresh.remove() }
        let server = fresh.server
        // The largest zone comes later: the follower reads from a database of its own size.
        for size in zoneSizes where size <= Self.records { try fill(size, server) }
        let files = try TemporaryDirectory(in: bench.directory)
        defer { files.remove() }
        let pages = try store(server, in: files.path)
        let nginx = try Nginx(files: files.path, in: bench.directory)
        defer { nginx.stop() }

        var (own, base): ([Reading], [Reading]) = ([], [])
        for round in 1...bench.settings.rounds {
            Progress.say("\(Self.title), round \(round) of \(bench.settings.rounds)")
            base.append(
                try follow(nginx) { number, reader, _ in
                    number < pages ? try reader.fetch("http://127.0.0.1:\(nginx.port)/\(number)") : nil
                })
            own.append(
                try follow(server) { number, reader, token in
                    number == 0 || token != nil
                        ? try reader.fetch(url(server), body: Self.request(Self.records, 200, token)) : nil
                })
        }
        let nginxFinding = finding(nginx.name, base)
        let finding = finding(server.name, own).compared(to: nginxFinding, "nginx")
        for size in zoneSizes where size > Self.records { try fill(size, server) }
        return [
            nginxFinding, finding.judged("≥ 0.35 × nginx", finding.ratio ?? 0 >= Self.leastRatio),
        ] + (try smallPages(server))
    }

    // MARK: - Data

    private static func zone(_ size: Int) -> String { "Zone\(size)" }

    private func fill(_ size: Int, _ server: Stratus) throws {
        let zone = Self.zone(size)
        _ = try server.post(
            "zones/modify",
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#, in: "private")
        Progress.say("Importing \(size) records into \(zone)")
        let file = "\(bench.directory)/\(zone).jsonl"
        let lines = (0..<size).map { Article.line($0, of: size) + "\n" }.joined()
        try lines.write(toFile: file, atomically: false, encoding: .utf8)
        try bench.tool.run(
            ["import"] + server.data.target("private") + ["--zone", zone, file], data: server.data.path)
    }

    /// Writes each page to a file of its number.
    private func store(_ server: Stratus, in directory: String) throws -> Int {
        let reader = try PageReader()
        var token: String?
        var number = 0
        while true {
            let page = try reader.fetch(url(server), body: Self.request(Self.records, 200, token))
            try Data(page).write(to: URL(filePath: "\(directory)/\(number)"))
            number += 1
            let ending = try PageReader.ending(of: page)
            guard ending.moreComing else { break }
            token = ending.token
        }
        guard number == Self.records / 200 else { throw BenchmarkError("there are \(number) pages") }
        return number
    }

    // MARK: - Reading

    private struct Reading {
        var seconds: Double
        var bytes: Double
        var times: CPUTimes
    }

    /// - Parameter page: the page of a number, given the token of the one before it; nil when there are no more.
    private func follow(
        _ server: any Server, _ page: (Int, PageReader, String?) throws -> [UInt8]?
    ) throws -> Reading {
        let reader = try PageReader()
        let before = CPUTimes(server)
        let start = Clock.now()
        var (number, bytes) = (0, 0)
        var token: String?
        while let found = try page(number, reader, token) {
            number += 1
            bytes += found.count
            let ending = try PageReader.ending(of: found)
            token = ending.moreComing ? ending.token : nil
        }
        let seconds = Clock.seconds(since: start)
        guard number == Self.records / 200 else { throw BenchmarkError("there were \(number) pages") }
        return Reading(seconds: seconds, bytes: Double(bytes), times: CPUTimes(server) - before)
    }

    private func finding(_ name: String, _ readings: [Reading]) -> Finding {
        var finding = Finding(Self.title, name, median(readings.map { $0.bytes / $0.seconds / 1e6 }), "MB/s")
        finding.cpu = median(readings.map { $0.times.server * 1e6 / Double(Self.records) })
        return finding.noted("\(Table.number(median(readings.map { $0.seconds * 1e6 / 500 }))) µs a page of 200")
    }

    /// Pages of ten from zones of ten, a thousand and more records, one of each in turns: what the server still does with
    /// what was imported just before, and the machine's changing speed, are the same for all of them then.
    private func smallPages(_ server: Stratus) throws -> [Finding] {
        let reader = try PageReader()
        var all = zoneSizes.map { _ in [Double]() }
        for _ in 0..<Self.smallPages {
            for (index, size) in zoneSizes.enumerated() {
                let start = Clock.now()
                _ = try reader.fetch(url(server), body: Self.request(size, Self.smallPage, nil))
                all[index].append(Clock.seconds(since: start) * 1e6)
            }
        }
        let base = median(all[0])
        return zip(zoneSizes, all).map { size, times in
            var finding = Finding("changes of 10", "Stratus, zone of \(size)", median(times), "µs a page")
            guard size != zoneSizes[0] else { return finding }
            finding.ratio = finding.value / base
            finding.ratioTo = "the cost"
            return finding.judged("≤ 1.5 × the cost", finding.ratio ?? .infinity <= Self.greatestCost)
        }
    }

    private func url(_ server: Stratus) -> String {
        "http://127.0.0.1:\(server.port)\(server.data.path("changes/zone", in: "private"))"
    }

    private static func request(_ size: Int, _ limit: Int, _ token: String?) -> String {
        let token = token.map { #","syncToken":"\#($0)""# } ?? ""
        return #"{"zones":[{"zoneID":{"zoneName":"\#(zone(size))"},"resultsLimit":\#(limit)\#(token)}]}"#
    }
}
