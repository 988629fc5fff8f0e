/// Durable creates of one record a request beside etcd's puts, each on a new data directory in every round.
struct CreateMeasure {
    let bench: Bench

    private static let unit = "records/s"
    private static let title = "create"
    private static let leastRatio = 2.0
    private static let greatestP99 = 20.0
    private static let development = "Stratus, all indexes"

    func findings() throws -> [Finding] {
        var contestants = [
            Creates.etcd(bench, 1), Creates.stratus(bench, 1, .production),
            Creates.stratus(bench, 1, .development, name: Self.development),
        ]
        let kinto: Kinto?
        do {
            kinto = try bench.sharedKinto()
        } catch {
            Progress.say("Kinto is left out: \(error)")
            kinto = nil
        }
        if let kinto { contestants.append(Creates.kinto(bench, kinto)) }
        let rounds = try Rounds(bench.settings.rounds, Self.title, contestants)

        let base = rounds.finding(Self.title, contestants[0].name, unit: Self.unit)
        let own = rounds.finding(Self.title, contestants[1].name, unit: Self.unit).compared(to: base, "etcd")
        let isMet = own.ratio ?? 0 >= Self.leastRatio && own.p99 ?? .infinity < Self.greatestP99
        return [base, own.judged("≥ 2 × etcd, p99 < 20 ms", isMet)]
            + contestants.dropFirst(2).map {
                rounds.finding(Self.title, $0.name, unit: Self.unit).compared(to: base, "etcd")
            }
    }
}
