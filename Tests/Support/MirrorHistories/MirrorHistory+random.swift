import StratusSeeds

extension MirrorHistory {
    private static let longest = 24

    /// The history of a seed.
    package init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        devices = Int.random(in: 2...3, using: &random)
        hasGuest = random.chance(50)
        hasPublicStore = random.chance(30)
        pageSize = random.chance(50) ? nil : Int.random(in: 1...3, using: &random)
        let author = MirrorHistoryAuthor(devices: devices, hasGuest: hasGuest, hasPublicStore: hasPublicStore, &random)
        steps = (0..<Int.random(in: 4...Self.longest, using: &random)).map { _ in author.step(&random) }
    }
}

/// Writes the steps of a history. Each history has only some kinds of incidents, because all together would hide one
/// another.
private struct MirrorHistoryAuthor {
    private enum Kind: CaseIterable {
        case save, synchronize, incident, restart, offline, online, fault, expiry, history, purge, wait, share, join,
            leave, permit

        var needsGuest: Bool { [.share, .join, .leave, .permit].contains(self) }

        /// The number of times that it happens, compared with others.
        var weight: Int {
            switch self {
            case .save, .synchronize: 8
            case .incident, .share, .join: 5
            case .restart, .online, .fault: 2
            case .offline, .expiry, .history, .purge, .wait, .leave, .permit: 1
            }
        }

        /// The percentage of histories in which it happens.
        var share: Int {
            switch self {
            case .save, .synchronize, .online, .wait, .share, .join: 100
            case .purge, .history: 15
            case .leave, .permit: 30
            default: 50
            }
        }
    }

    private static let objects = 6
    private static let moments = 40
    private static let shares = 3

    private let devices: Int
    private let kinds: [Kind]
    private let hasPublicStore: Bool
    /// Whether the guest may change everything.
    private let isTrusting: Bool
    /// The only device that shares; nil for all.
    private let sharer: Int?

    init(devices: Int, hasGuest: Bool, hasPublicStore: Bool, _ random: inout SeededRandom) {
        (self.devices, self.hasPublicStore) = (devices, hasPublicStore)
        isTrusting = random.chance(50)
        sharer = random.chance(60) ? random.below(devices) : nil
        var kinds: [Kind] = []
        for kind in Kind.allCases where (hasGuest || !kind.needsGuest) && random.chance(kind.share) {
            kinds += Array(repeating: kind, count: kind.weight)
        }
        self.kinds = kinds
    }

    func step(_ random: inout SeededRandom) -> MirrorStep {
        let device = random.below(devices)
        switch kinds[random.below(kinds.count)] {
        case .save: return .save(device, changes(&random))
        case .synchronize: return .synchronize(device, [])
        case .incident:
            return .synchronize(device, (0..<Int.random(in: 1...2, using: &random)).map { _ in incident(&random) })
        case .restart: return .restart(device)
        case .offline: return .goOffline(device)
        case .online: return .goOnline(device)
        case .fault: return .fault(device, MirrorFault.allCases[random.below(MirrorFault.allCases.count)])
        case .expiry: return .expireTokens
        case .history: return .deleteHistory(device)
        case .purge: return .purge
        case .wait: return .wait(Int.random(in: 1...60, using: &random))
        case .share:
            let sharing = MirrorSharing(
                device: sharer ?? device, object: random.below(Self.objects),
                share: random.chance(50) ? nil : random.below(Self.shares),
                permission: isTrusting || random.chance(70) ? .readWrite : .readOnly)
            return .share(sharing, random.chance(30) ? [incident(&random)] : [])
        case .join: return .join(random.below(Self.shares))
        case .leave: return .leave(random.below(Self.shares))
        case .permit:
            let permissions = MirrorPermission.allCases
            return .permit(device, random.below(Self.shares), permissions[random.below(permissions.count)])
        }
    }

    private func incident(_ random: inout SeededRandom) -> MirrorIncident {
        let event: MirrorIncident.Event =
            switch random.below(3) {
            case 0: .end
            case 1: .save(changes(&random))
            default: .synchronize(random.below(devices))
            }
        return MirrorIncident(moment: Int.random(in: 1...Self.moments, using: &random), event: event)
    }

    private func changes(_ random: inout SeededRandom) -> [MirrorChange] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in change(&random) }
    }

    private func change(_ random: inout SeededRandom) -> MirrorChange {
        let (one, other) = (random.below(Self.objects), random.below(Self.objects))
        if hasPublicStore, random.chance(30) {
            switch random.below(4) {
            case 0, 1: return .createEntry
            case 2: return .setEntry(one)
            default: return .deleteEntry(one)
            }
        }
        switch random.below(20) {
        case 0..<6: return .create(MirrorEntity.allCases[random.below(MirrorEntity.allCases.count)])
        case 6..<8: return .delete(one)
        case 8..<12: return .set(one, MirrorAttribute.allCases[random.below(MirrorAttribute.allCases.count)])
        case 12..<14: return .setParent(one, random.chance(25) ? nil : other)
        case 14: return .setCover(one, random.chance(25) ? nil : other)
        case 15..<18: return .addTag(one, other)
        default: return .removeTag(one, other)
        }
    }
}
