import StratusSeeds

/// What happens in a history. The numbers pick among what there is when the step is done, so that any part of a history
/// is one, too: a step for which there is nothing does nothing.
enum LeakStep: Sendable, Hashable {
    case create(zone: Int, parent: Int?, by: Int, file: Bool, mention: Int?)
    case edit(zone: Int, record: Int, by: Int)
    case move(zone: Int, record: Int, parent: Int?)
    case delete(zone: Int, record: Int)
    case share(zone: Int, record: Int?)
    case invite(share: Int, person: Int, as: Invitation)
    case accept(share: Int, person: Int)
    case use(link: Int, person: Int)
    case permit(share: Int, person: Int)
    case remove(share: Int, person: Int)
    case open(share: Int, writes: Bool?)
    case leave(share: Int, person: Int)
    case stop(share: Int)
    case takeRequests(share: Int, person: Int)
    case ask(share: Int, person: Int)
    case approve(share: Int, person: Int)
    case deny(share: Int, person: Int)
    case block(share: Int, person: Int)
    case unblock(share: Int, person: Int)
    case decline(share: Int, person: Int)
    case mail(share: Int, person: Int)
    case keys(share: Int)
    case prove(share: Int, person: Int)

    enum Invitation: CaseIterable, Sendable { case reader, writer, administrator, oneTime }
}

/// A history.
struct LeakPlan: Sendable, CustomStringConvertible {
    var steps: [LeakStep]

    var description: String { steps.map { "  \($0)" }.joined(separator: "\n") }

    /// Who takes part; the last never does.
    static let people = 9
    static let stranger = 8
    /// Zones that may be shared.
    static let sharedZones = 2

    /// A history that begins with somebody in every part.
    static func random(seed: UInt64, steps count: Int) -> LeakPlan {
        var random = SeededRandom(seed: seed)
        return LeakPlan(steps: beginning + (0..<count).map { _ in step(&random) })
    }

    private static let beginning: [LeakStep] = [
        .create(zone: 0, parent: nil, by: 0, file: true, mention: nil),
        .share(zone: 0, record: 0),
        .invite(share: 0, person: 1, as: .administrator), .accept(share: 0, person: 1),
        .invite(share: 0, person: 2, as: .writer), .accept(share: 0, person: 2),
        .invite(share: 0, person: 3, as: .reader), .accept(share: 0, person: 3),
        .invite(share: 0, person: 4, as: .writer),
        .invite(share: 0, person: 5, as: .writer), .accept(share: 0, person: 5),
        .invite(share: 0, person: 7, as: .oneTime), .use(link: 0, person: 7),
        .create(zone: 0, parent: 0, by: 0, file: true, mention: 0),
        .create(zone: 0, parent: nil, by: 0, file: true, mention: nil),
        // What is shared lies below what is not.
        .move(zone: 0, record: 0, parent: 2),
        .create(zone: 1, parent: nil, by: 0, file: false, mention: nil),
        .share(zone: 1, record: nil), .open(share: 1, writes: false), .accept(share: 1, person: 6),
        .keys(share: 0), .prove(share: 0, person: 3), .keys(share: 1), .mail(share: 0, person: 4),
        .remove(share: 0, person: 5),
        .takeRequests(share: 0, person: 3), .ask(share: 0, person: 6),
        .accept(share: 1, person: 7), .takeRequests(share: 1, person: 0), .block(share: 1, person: 7),
        // Another share beside the first, in which one of the first is as well.
        .create(zone: 0, parent: nil, by: 0, file: false, mention: nil), .share(zone: 0, record: 3),
        .invite(share: 2, person: 2, as: .reader), .accept(share: 2, person: 2), .keys(share: 2),
        .open(share: 2, writes: false), .accept(share: 2, person: 5), .open(share: 2, writes: nil),
    ]

    private static func step(_ random: inout SeededRandom) -> LeakStep {
        let zone = random.below(sharedZones)
        let share = random.below(8)
        let person = 1 + random.below(stranger - 1)
        let any = { (random: inout SeededRandom) in random.below(64) }
        switch random.below(36) {
        case 0...3:
            return .create(
                zone: zone, parent: random.below(3) == 0 ? nil : any(&random), by: random.below(2) == 0 ? 0 : person,
                file: random.below(3) == 0, mention: random.below(3) == 0 ? any(&random) : nil)
        case 4: return .edit(zone: zone, record: any(&random), by: random.below(2) == 0 ? 0 : person)
        case 5...7:
            return .move(zone: zone, record: any(&random), parent: random.below(4) == 0 ? nil : any(&random))
        case 8: return .delete(zone: zone, record: any(&random))
        case 9, 10: return .share(zone: zone, record: zone == 1 && random.below(2) == 0 ? nil : any(&random))
        case 11...13:
            let kinds = LeakStep.Invitation.allCases
            return .invite(share: share, person: person, as: kinds[random.below(kinds.count)])
        case 14...16: return .accept(share: share, person: person)
        case 17: return .use(link: any(&random), person: person)
        case 18: return .permit(share: share, person: person)
        case 19, 20: return .remove(share: share, person: person)
        case 21: return .open(share: share, writes: [nil, false, true][random.below(3)])
        case 22: return .leave(share: share, person: person)
        case 23: return .stop(share: share)
        default: return access(share, person, &random)
        }
    }

    private static func access(_ share: Int, _ person: Int, _ random: inout SeededRandom) -> LeakStep {
        switch random.below(12) {
        case 0: return .takeRequests(share: share, person: person)
        case 1, 2: return .ask(share: share, person: person)
        case 3: return .approve(share: share, person: person)
        case 4: return .deny(share: share, person: person)
        case 5: return .block(share: share, person: person)
        case 6: return .unblock(share: share, person: person)
        case 7: return .decline(share: share, person: person)
        case 8: return .mail(share: share, person: person)
        case 9, 10: return .keys(share: share)
        default: return .prove(share: share, person: person)
        }
    }

    /// Leaves out of a history that fails whatever it fails without: halves first, then single steps.
    /// - Parameter fails: tries a history.
    func shrunk(while fails: (LeakPlan) async throws -> Bool) async rethrows -> LeakPlan {
        var smallest = self
        var size = max(1, steps.count / 2)
        while size >= 1 {
            var start = 0
            while start < smallest.steps.count {
                var attempt = smallest
                attempt.steps.removeSubrange(start..<min(start + size, attempt.steps.count))
                if try await fails(attempt) { smallest = attempt } else { start += size }
            }
            size /= 2
        }
        return smallest
    }
}
