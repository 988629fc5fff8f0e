import FoundationEssentials
import Glibc

/// Small files and a large folder over WebDAV, beside nginx's.
struct WebDAVMeasure {
    let bench: Bench

    private static let leastRatio = 0.3
    private static let goal = "≥ 0.3 × nginx"
    private static let files = 1_000
    private static let fileSize = 4_096
    private static let entries = 10_000
    /// Listings of one server before the other's turn.
    private static let listings = 5

    /// A server of files, as the load generator sees it.
    private struct Place {
        let server: any Server
        let path: String
        /// Beside `Host` and `Content-Length`.
        let headers: [String: String]

        var url: String { "http://127.0.0.1:\(server.port)\(path)" }
        var fields: [String] { headers.map { "\($0.key): \($0.value)" } }
    }

    func findings() throws -> [Finding] {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let nginx = try NginxFiles(in: directory.path, isWhole: true)
        defer { nginx.stop() }
        let data = try StratusData.make(at: "\(directory.path)/data", .development, tool: bench.tool)
        let files = try StratusFiles(data) { try Stratus($0) }
        let stratus = files.server
        defer { stratus.stop() }
        Progress.say("webdav: folders of \(Self.entries) files")
        try files.makeFiles(Self.entries, in: "many")
        try FileManager.default.createDirectory(atPath: "\(nginx.root)/many", withIntermediateDirectories: true)
        for number in 0..<Self.entries {
            try Data().write(to: URL(filePath: "\(nginx.root)/many/file \(number)"))
        }
        let places = [
            Place(server: nginx, path: "/", headers: [:]),
            Place(server: stratus, path: files.path, headers: ["Authorization": files.authorization]),
        ]
        return try transfers("PUT", places) { place in
            LoadScript(
                method: "PUT", path: place.path + LoadScript.randomName, headers: place.headers, body: Self.content)
        }.map { $0.noted("nginx does not sync; Stratus answers when the file is on disk and can be found") }
            + (try reads(places)) + (try listings(places))
    }

    /// A file whose first bytes differ.
    private static let content =
        LoadScript.randomName + String(repeating: "x", count: fileSize - LoadScript.randomName.utf8.count)

    private func transfers(
        _ method: String, _ places: [Place], _ script: (Place) -> LoadScript
    ) throws -> [Finding] {
        let title = "webdav, \(method) of 4 KiB"
        let rounds = try Rounds(
            bench.settings.rounds, title,
            places.map { place in
                let script = script(place)
                return .init(name: place.server.name) { try bench.sample(place.server, script) }
            })
        let base = rounds.finding(title, places[0].server.name, unit: "/s")
        let own = rounds.finding(title, places[1].server.name, unit: "/s").compared(to: base, "nginx")
        return [base, own.judged(Self.goal, (own.ratio ?? 0) >= Self.leastRatio)]
    }

    private func reads(_ places: [Place]) throws -> [Finding] {
        let names = (0..<Self.files).map { "read-\($0)" }
        for place in places {
            for name in names {
                let body = name + String(repeating: "y", count: Self.fileSize - name.utf8.count)
                _ = try HTTP.expect("PUT", place.url + name, headers: place.fields, body: body)
            }
        }
        return try transfers("GET", places) { place in
            LoadScript(
                method: "GET", paths: names.map { place.path + $0 }, headers: place.headers,
                bodies: names.map { _ in "" })
        }
    }

    private func listings(_ places: [Place]) throws -> [Finding] {
        let title = "webdav, PROPFIND of 10,000 entries"
        var seconds = places.map { _ in [Double]() }
        for round in 1...bench.settings.rounds {
            for (index, place) in places.enumerated() {
                Progress.say("\(title), round \(round) of \(bench.settings.rounds): \(place.server.name)")
                for _ in 0..<Self.listings { seconds[index].append(try list(place)) }
            }
        }
        let found = zip(places, seconds).map { place, seconds in
            var finding = Finding(title, place.server.name, 1 / median(seconds), "/s")
            finding.p50 = median(seconds) * 1_000
            finding.p99 = (seconds.max() ?? .nan) * 1_000
            return finding
        }
        let own = found[1].compared(to: found[0], "nginx")
        return [found[0], own.judged(Self.goal, (own.ratio ?? 0) >= Self.leastRatio)]
    }

    /// Lists the large folder, which the answer has to have whole.
    private func list(_ place: Place) throws -> Double {
        let start = Clock.now()
        let answer = try HTTP.expect(
            "PROPFIND", place.url + "many/", headers: place.fields + ["Depth: 1"],
            body: #"<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>"#)
        let seconds = Clock.seconds(since: start)
        let count = Self.occurrences(of: Array("<D:response>".utf8), in: answer.body)
        guard count == Self.entries + 1 else {
            throw BenchmarkError("\(place.server.name) listed \(count) entries instead of \(Self.entries + 1)")
        }
        return seconds
    }

    private static func occurrences(of text: [UInt8], in bytes: [UInt8]) -> Int {
        bytes.indices.count { bytes[$0] == text[0] && bytes[$0...].starts(with: text) }
    }
}
