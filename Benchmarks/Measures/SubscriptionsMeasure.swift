/// Creates of records beside the same with subscriptions of other people in the database: to the same type, each to
/// another value of a field, as in "messages to me". None of them fires.
struct SubscriptionsMeasure {
    let bench: Bench

    private static let title = "subscriptions"
    private static let counts = [0, 10, 1_000, 100_000]
    private static let ofOnePerson = 500
    private static let leastRatio = 0.9

    func findings() throws -> [Finding] {
        var servers: [(name: String, fresh: FreshStratus)] = []
        defer { for server in servers { server.fresh.remove() } }
        for count in Self.counts where !bench.settings.isQuick || count <= 1_000 {
            Progress.say("\(Self.title): \(count) subscriptions")
            let fresh = try bench.freshStratus(.production)
            servers.append(("Stratus, \(count) subscriptions", fresh))
            let people = try StratusPeople((count + Self.ofOnePerson - 1) / Self.ofOnePerson, on: fresh.server)
            for person in people.credentials.indices {
                let own = min(Self.ofOnePerson, count - person * Self.ofOnePerson)
                try people.subscribe((0..<own).map { (Article.recordType, "to \(person)-\($0)") }, of: person)
            }
        }
        let contestants = servers.map { server in
            Rounds.Contestant(name: server.name) {
                try bench.sample(server.fresh.server, server.fresh.server.creates(1))
            }
        }
        let rounds = try Rounds(bench.settings.rounds, Self.title, contestants)
        let base = rounds.finding(Self.title, contestants[0].name, unit: "records/s")
        return [base]
            + contestants.dropFirst().map { contestant in
                let own = rounds.finding(Self.title, contestant.name, unit: "records/s").compared(to: base, "none")
                return own.judged("≥ 0.9 × without", own.ratio ?? 0 >= Self.leastRatio)
            }
    }
}
