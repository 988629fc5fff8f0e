import StratusSeeds

extension History {
    static let zones = 2
    static let names = 3
    static let longest = 28

    /// The history of a seed.
    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        devices = Int.random(in: 2...4, using: &random)
        deletionWins = Bool.random(using: &random)
        isAtomic = Int.random(in: 0..<4, using: &random) == 0
        batchSize = Bool.random(using: &random) ? 250 : Int.random(in: 1...3, using: &random)
        recovers = Bool.random(using: &random)
        pageSize = Bool.random(using: &random) ? nil : Int.random(in: 1...2, using: &random)
        let author = HistoryAuthor(devices: devices, recovers: recovers, &random)
        steps = (0..<Int.random(in: 4...Self.longest, using: &random)).map { _ in author.step(&random) }
    }
}

/// Writes the steps of a history. Each history knows only some kinds of mishaps: all of them together would hide one another.
private struct HistoryAuthor {
    private let devices: Int
    private let recovers: Bool
    private let kinds: [Kind]

    private enum Kind: CaseIterable {
        case edit, send, fetch, delete, makeZone, deleteZone, purge, kill, death, meanwhile, offline, online, lost, slow
        case refusal, expiry, wait, account

        /// How much more often than others.
        var weight: Int {
            switch self {
            case .edit: 8
            case .send, .fetch: 7
            case .delete, .death, .meanwhile, .lost: 3
            case .kill, .refusal, .slow, .online: 2
            case .makeZone, .deleteZone, .purge, .offline, .expiry, .wait, .account: 1
            }
        }

        /// In how many of so many histories it happens.
        var share: Int {
            switch self {
            case .edit, .send, .fetch, .online, .wait: 4
            // Whoever signs out loses what is not sent, which would excuse too much.
            case .account: 1
            default: 2
            }
        }
    }

    init(devices: Int, recovers: Bool, _ random: inout SeededRandom) {
        (self.devices, self.recovers) = (devices, recovers)
        var kinds: [Kind] = []
        for kind in Kind.allCases where Int.random(in: 0..<4, using: &random) < kind.share {
            kinds += Array(repeating: kind, count: kind.weight)
        }
        self.kinds = kinds
    }

    func step(_ random: inout SeededRandom) -> HistoryStep {
        let device = Int.random(in: 0..<devices, using: &random)
        let zone = Int.random(in: 0..<History.zones, using: &random)
        switch pick(kinds, &random) {
        case .edit: return .edit(device, place(&random))
        case .delete: return .delete(device, place(&random))
        case .makeZone: return .makeZone(device, zone)
        case .deleteZone: return .deleteZone(device, zone)
        case .purge: return .purge(zone)
        case .send: return .send(device, Incident())
        case .fetch: return .fetch(device, Incident())
        case .kill: return .kill(device)
        case .death: return work(device, Incident(death: death(&random)), &random)
        case .meanwhile:
            let count = Int.random(in: 1...3, using: &random)
            return work(device, Incident(meanwhile: (0..<count).map { _ in meanwhile(device, &random) }), &random)
        case .account:
            return Int.random(in: 0..<3, using: &random) == 0
                ? .signOut(device) : .signIn(device, pick(Person.allCases, &random))
        case .offline: return .goOffline(device)
        case .online: return .goOnline(device)
        case .lost: return .fault(device, pick([.lostRequest, .lostAnswer, .lostAnswer, .lostRead], &random))
        case .slow:
            let seconds = Int.random(in: 1...20, using: &random)
            return .fault(device, pick([.throttle(seconds), .busy(seconds), .zoneBusy], &random))
        case .refusal:
            return .fault(device, .refusal(pick(Trouble.Refusal.allCases, &random), place(&random)))
        case .expiry: return .expireTokens
        case .wait: return .wait(Int.random(in: 1...30, using: &random))
        }
    }

    private func work(_ device: Int, _ incident: Incident, _ random: inout SeededRandom) -> HistoryStep {
        Bool.random(using: &random) ? .send(device, incident) : .fetch(device, incident)
    }

    private func death(_ random: inout SeededRandom) -> Incident.Death {
        Incident.Death(
            callback: Int.random(in: 0..<12, using: &random), isAfterwards: Bool.random(using: &random),
            isTooLate: Bool.random(using: &random))
    }

    private func meanwhile(_ device: Int, _ random: inout SeededRandom) -> Incident.Meanwhile {
        var step = step(&random)
        switch step {
        case .send(let other, _): step = .send(other, Incident())
        case .fetch(let other, _): step = .fetch(other, Incident())
        default: break
        }
        // What is on its way is what is most worth being written again.
        if Bool.random(using: &random) { step = .edit(device, place(&random)) }
        return Incident.Meanwhile(
            callback: Int.random(in: 0..<8, using: &random), isAfterwards: Bool.random(using: &random), step: step)
    }

    private func place(_ random: inout SeededRandom) -> Place {
        Place(
            zone: Int.random(in: 0..<History.zones, using: &random),
            name: Int.random(in: 0..<History.names, using: &random))
    }

    private func pick<Value>(_ values: [Value], _ random: inout SeededRandom) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
