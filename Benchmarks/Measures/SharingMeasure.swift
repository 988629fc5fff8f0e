import FoundationEssentials

/// What sharing costs: reading a record that somebody else shares beside reading it as its owner, in hierarchies of
/// different sizes with different numbers of participants; and a commit that all participants are told of.
struct SharingMeasure {
    let bench: Bench

    /// Records of the shared hierarchies, their roots included.
    private static let sizes = [10, 1_000, 100_000]
    /// With the owner, who is one of those that a share may have.
    private static let participants = [1, 10, 99]
    private static let greatestReading = 1.3
    private static let greatestCommit = 1.5
    private static let lookups = 2_000
    /// Commits of which all are told, each of so many records.
    private static let commits = 20
    private static let recordsPerCommit = 5

    func findings() throws -> [Finding] {
        let fresh = try bench.freshStratus()
        defer { fresh.remove() }
        let server = fresh.server
        let most = Self.participants[Self.participants.count - 1]
        Progress.say("sharing: \(most) people")
        let people = try StratusPeople(most, on: server)
        let owner = try SharingOwner(server, people)
        var readings: [Finding] = []
        for size in Self.sizes {
            try owner.fill(size, bench)
            var joined = 0
            for count in Self.participants {
                try owner.invite(joined..<count, to: size)
                joined = count
                Progress.say("sharing: \(size) records, \(count) participants")
                readings += try reading(owner, size, participants: count)
            }
        }
        return readings + (try told(owner, people, by: server))
    }

    // MARK: - Reading

    /// One lookup by each in turns, so that the machine's changing speed is the same for both; over one connection, so
    /// that the same threads answer both: which of the server's a connection gets, and where that runs, makes a third of
    /// such a short time.
    private func reading(_ owner: SharingOwner, _ size: Int, participants: Int) throws -> [Finding] {
        let reader = try PageReader()
        let person = participants - 1
        var times: (own: [Double], shared: [Double]) = ([], [])
        for round in 0..<Self.lookups {
            let name = owner.child(1 + round * 7 % (size - 1), of: size)
            let start = Clock.now()
            let page = try reader.fetch(owner.url("records/lookup"), body: owner.lookup(name, of: size))
            times.own.append(Clock.seconds(since: start) * 1e6)
            let next = Clock.now()
            let seen = try reader.fetch(owner.url("records/lookup", of: person), body: owner.lookup(name, of: size))
            times.shared.append(Clock.seconds(since: next) * 1e6)
            guard round == 0 else { continue }
            for answer in [page, seen] where !String(decoding: answer, as: UTF8.self).contains(Article.body) {
                throw BenchmarkError("a lookup gives no record: \(String(decoding: answer, as: UTF8.self))")
            }
        }
        let measure = "shared lookup"
        let base = Finding(measure, "the owner, \(size) records, \(participants) participants", median(times.own), "µs")
        var finding = Finding(measure, "a participant", median(times.shared), "µs")
        finding.ratio = finding.value / base.value
        finding.ratioTo = "the owner"
        return [base, finding.judged("≤ 1.3 × the owner", finding.ratio ?? .infinity <= Self.greatestReading)]
    }

    // MARK: - Telling

    /// From a save until everybody who shares has polled it.
    private func told(_ owner: SharingOwner, _ people: StratusPeople, by server: Stratus) throws -> [Finding] {
        let polls = try (0..<Self.participants[Self.participants.count - 1]).map { person in
            _ = try people.post("subscriptions/modify", of: person, scope: "shared", SharingOwner.subscription)
            return try people.devices(1, of: person)[0].poll
        }
        var findings: [Finding] = []
        for size in [Self.sizes[0], Self.sizes[Self.sizes.count - 1]] {
            Progress.say("sharing: commits among \(size) records")
            try owner.save(Self.recordsPerCommit, of: size)
            try poll(polls, server)
            var (seconds, saves): ([Double], [Double]) = ([], [])
            let before = CPUTimes(server)
            for _ in 0..<Self.commits {
                let start = Clock.now()
                try owner.save(Self.recordsPerCommit, of: size)
                saves.append(Clock.seconds(since: start) * 1e3)
                try poll(polls, server)
                seconds.append(Clock.seconds(since: start) * 1e3)
            }
            let times = CPUTimes(server) - before
            var finding = Finding("shared commit", "all told, \(size) records", median(seconds), "ms")
            finding.cpu = times.server * 1e6 / Double(Self.commits)
            finding.note = "the save \(Table.number(median(saves))) ms; \(polls.count) polls, one after the other"
            findings.append(finding)
        }
        let last = findings.count - 1
        findings[last].ratio = (findings[last].cpu ?? 0) / (findings[0].cpu ?? 1)
        findings[last].ratioTo = "CPU among \(Self.sizes[0])"
        findings[last] = findings[last].judged(
            "≤ 1.5 × the CPU", findings[last].ratio ?? .infinity <= Self.greatestCommit)
        return findings
    }

    private func poll(_ paths: [String], _ server: Stratus) throws {
        let reader = try PageReader()
        for path in paths {
            let answer = String(decoding: try reader.fetch("http://127.0.0.1:\(server.port)\(path)"), as: UTF8.self)
            guard answer.contains("\"met\"") else { throw BenchmarkError("a poll gives \(answer)") }
        }
    }
}

/// Somebody who shares hierarchies, each in a zone of its own.
private struct SharingOwner {
    static let subscription =
        #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"all","subscriptionType":"database","#
        + #""notificationInfo":{"shouldSendContentAvailable":true}}}]}"#

    private let server: Stratus
    private let people: StratusPeople
    private let name: String
    private let reader: PageReader

    init(_ server: Stratus, _ people: StratusPeople) throws {
        struct User: Decodable { var userRecordName: String }
        self.server = server
        self.people = people
        reader = try PageReader()
        let text = try server.post("users/caller", "{}", in: "private").body
        name = try JSONDecoder().decode(User.self, from: Data(text)).userRecordName
    }

    private static func zone(_ size: Int) -> String { "Shared\(size)" }
    private func zoneID(_ size: Int) -> String { #"{"zoneName":"\#(Self.zone(size))","ownerRecordName":"\#(name)"}"# }

    func child(_ number: Int, of size: Int) -> String { number == 0 ? "root" : Article.name(number) }

    func url(_ operation: String) -> String {
        "http://127.0.0.1:\(server.port)\(server.data.path(operation, in: "private"))"
    }

    func url(_ operation: String, of person: Int) -> String {
        "http://127.0.0.1:\(server.port)\(people.path(operation, of: person, scope: "shared"))"
    }

    func lookup(_ record: String, of size: Int) -> String {
        #"{"records":[{"recordName":"\#(record)"}],"zoneID":\#(zoneID(size))}"#
    }

    private func post(_ operation: String, _ body: String) throws -> String {
        let text = String(decoding: try reader.fetch(url(operation), body: body), as: UTF8.self)
        guard !text.contains("serverErrorCode") else { throw BenchmarkError("\(operation): \(text.prefix(500))") }
        return text
    }

    /// A zone with a shared root and all others below it.
    func fill(_ size: Int, _ bench: Bench) throws {
        let zone = Self.zone(size)
        _ = try post(
            "zones/modify",
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#)
        let root = #"{"recordName":"root","recordType":"\#(Article.recordType)","fields":{}}"#
        let share =
            #"{"recordName":"Share","recordType":"cloudkit.share","forRecord":{"recordName":"root"},"fields":{}}"#
        _ = try modify(
            size, [#"{"operationType":"create","record":\#(root)}"#, #"{"operationType":"create","record":\#(share)}"#])
        Progress.say("Importing \(size) records into \(zone)")
        let file = "\(bench.directory)/\(zone).jsonl"
        let lines = (1..<size).map { number in
            Article.line(number, of: size).dropLast() + ",\"parent\":{\"recordName\":\"root\"}}\n"
        }.joined()
        try lines.write(toFile: file, atomically: false, encoding: .utf8)
        try bench.tool.run(
            ["import"] + server.data.target("private") + ["--zone", zone, file], data: server.data.path)
    }

    private func modify(_ size: Int, _ operations: [String]) throws -> String {
        try post("records/modify", #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":\#(zoneID(size))}"#)
    }

    /// Saves some records of a hierarchy.
    func save(_ count: Int, of size: Int) throws {
        _ = try modify(
            size,
            (0..<count).map { index in
                #"{"operationType":"forceUpdate","record":{"recordName":"\#(child(1 + index, of: size))","#
                    + #""recordType":"\#(Article.recordType)","fields":{"title":{"value":"again"}}}}"#
            })
    }

    /// Adds people to those who take part.
    func invite(_ added: Range<Int>, to size: Int) throws {
        struct Answer: Decodable {
            struct Share: Decodable { var recordChangeTag, shortGUID: String }
            var records: [Share]
        }
        let found = try post("records/lookup", lookup("Share", of: size))
        let share = try JSONDecoder().decode(Answer.self, from: Data(found.utf8)).records[0]
        let participants = (0..<added.upperBound).map { person in
            #"{"type":"USER","permission":"READ_WRITE","userIdentity":{"lookupInfo":{"emailAddress":"person\#(person)@example.org"}}}"#
        }
        _ = try modify(
            size,
            [
                #"{"operationType":"update","record":{"recordName":"Share","recordType":"cloudkit.share","#
                    + #""recordChangeTag":"\#(share.recordChangeTag)","fields":{},"#
                    + #""participants":[\#(participants.joined(separator: ","))]}}"#
            ])
        for person in added {
            _ = try people.post("records/accept", of: person, #"{"shortGUIDs":[{"value":"\#(share.shortGUID)"}]}"#)
        }
    }
}
