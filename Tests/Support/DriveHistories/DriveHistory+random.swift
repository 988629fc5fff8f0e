import StratusSeeds

extension DriveHistory {
    /// Most histories are short, as a short one that fails shows more. Some are long, as some faults need much before them.
    private static let (short, long) = (4...18, 12...44)

    /// The history of a seed.
    package init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let length = random.chance(80) ? Self.short : Self.long
        let author = DriveHistoryAuthor(&random)
        steps = author.beginning(&random)
        steps += (0..<Int.random(in: length, using: &random)).map { _ in author.step(&random) }
    }
}

/// Writes the steps of a history. Each history has only some kinds of events and some of the places: all together would
/// hide one another, and devices would seldom meet.
private struct DriveHistoryAuthor {
    private enum Kind: CaseIterable {
        case write, replace, save, truncate, move, makeFolder, link, execute, delete, package, open, close
        case synchronize, incident, death, kill, evict, download, pin, selection, version, deleted, resolve
        case offline, online, trouble, quota, disk, clock, server, expiry, wait

        /// How much more often than others it happens.
        var weight: Int {
            switch self {
            case .synchronize: 20
            case .write: 10
            case .move: 9
            case .incident: 7
            case .delete, .death: 5
            case .makeFolder, .replace, .evict, .trouble: 4
            case .save, .package, .version, .disk, .selection: 3
            case .deleted, .resolve, .open, .close, .pin, .download, .server: 2
            case .truncate, .link, .execute, .kill, .offline, .online, .quota, .clock, .expiry, .wait: 1
            }
        }

        /// In how many of four histories it happens.
        var share: Int {
            switch self {
            case .synchronize, .write, .close, .online: 4
            case .move, .delete, .incident: 3
            case .disk, .quota, .server, .package, .link: 1
            default: 2
            }
        }
    }

    private let kinds: [Kind]
    private let places: [Int]

    init(_ random: inout SeededRandom) {
        var kinds: [Kind] = []
        for kind in Kind.allCases where random.below(4) < kind.share {
            kinds += Array(repeating: kind, count: kind.weight)
        }
        self.kinds = kinds
        let count = Int.random(in: 3...9, using: &random)
        places = Array(DrivePlaces.all.indices.shuffled(using: &random).prefix(count))
    }

    /// Often the devices have something in common already.
    func beginning(_ random: inout SeededRandom) -> [DriveHistoryStep] {
        guard random.chance(60) else { return [] }
        var steps = ["d", "e"].map { DriveHistoryStep.use(0, .makeFolder(DrivePlaces.number($0))) }
        for _ in 0..<Int.random(in: 0...3, using: &random) { steps.append(.use(0, .write(place(&random)))) }
        return steps + (0..<DriveHistory.devices).map { .work($0, .synchronize) }
    }

    func step(_ random: inout SeededRandom) -> DriveHistoryStep {
        let device = random.below(DriveHistory.devices)
        let kind = kinds[random.below(kinds.count)]
        if let use = use(kind, &random) { return .use(device, use) }
        if let work = work(kind, &random) {
            return .work(device, work, random.chance(15) ? incidents(device, &random) : [])
        }
        return event(kind, device, &random)
    }

    private func place(_ random: inout SeededRandom) -> Int { places[random.below(places.count)] }

    private func use(_ kind: Kind, _ random: inout SeededRandom) -> DriveUse? {
        switch kind {
        case .write: .write(place(&random))
        case .replace: .replace(place(&random))
        case .save: .save(place(&random))
        case .truncate: .truncate(place(&random))
        case .move: .move(place(&random), place(&random))
        case .makeFolder: .makeFolder(place(&random))
        case .link: .link(place(&random), target: random.below(3))
        case .execute: .execute(place(&random))
        case .delete: .delete(place(&random))
        case .package: .replacePackage(place(&random))
        case .open: .open(place(&random))
        case .close: .close
        default: nil
        }
    }

    private func work(_ kind: Kind, _ random: inout SeededRandom) -> DriveWork? {
        switch kind {
        case .synchronize: .synchronize
        case .evict: .evict(place(&random))
        case .download: .download(place(&random))
        case .pin: random.chance(70) ? .pin(place(&random)) : .unpin(place(&random))
        case .selection: random.chance(75) ? .deselect(place(&random)) : .select(place(&random))
        case .version: .restoreVersion(place(&random), random.below(3))
        case .deleted: .restoreDeleted(random.below(4))
        case .resolve: .resolve(place(&random), random.below(3))
        default: nil
        }
    }

    private func event(_ kind: Kind, _ device: Int, _ random: inout SeededRandom) -> DriveHistoryStep {
        switch kind {
        case .death: return .work(device, .synchronize, [DriveIncident(moment(&random), .end)])
        case .kill: return .kill(device, random.chance(30) ? [DriveIncident(1 + random.below(4), .end)] : [])
        case .offline: return .goOffline(device)
        case .online: return .goOnline(device)
        case .trouble: return .trouble(device, DriveTrouble.allCases[random.below(DriveTrouble.allCases.count)])
        case .quota: return random.chance(50) ? .fillQuota(device) : .freeQuota(device)
        case .disk: return random.chance(60) ? .fillDisk(device, random.below(12)) : .freeDisk(device)
        case .clock:
            let jumps = [1, 3_600, 400 * 86_400]
            return .moveClock(device, jumps[random.below(jumps.count)] * (random.chance(50) ? 1 : -1))
        case .server: return random.chance(60) ? .crashServer(isCommitted: random.chance(60)) : .restartServer
        case .expiry: return .expireTokens
        case .wait: return .wait(1 + random.below(20))
        default: return .work(device, .synchronize, incidents(device, &random))
        }
    }

    /// Early moments more often than late ones, as many works end early.
    private func moment(_ random: inout SeededRandom) -> Int { 1 + random.below(1 + random.below(60)) }

    private func incidents(_ device: Int, _ random: inout SeededRandom) -> [DriveIncident] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let event: DriveIncident.Event =
                switch random.below(10) {
                case 0: .end
                case 1..<4: .synchronize((device + 1 + random.below(DriveHistory.devices - 1)) % DriveHistory.devices)
                default: .use(meanwhile(&random))
                }
            return DriveIncident(moment(&random), event)
        }
    }

    private func meanwhile(_ random: inout SeededRandom) -> DriveUse {
        let uses = kinds.compactMap { use($0, &random) }
        return uses[random.below(uses.count)]
    }
}
