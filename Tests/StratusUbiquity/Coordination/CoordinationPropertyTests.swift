import StratusSeeds
import Testing

@testable import StratusUbiquity

/// The ledger against a model that knows only which claims hold their items, and compares all pairs of them.
@Suite struct CoordinationPropertyTests {
    private static let paths = ["/a", "/a/b", "/a/b/c", "/a/bc", "/d"]

    @Test(arguments: 0..<20) func randomHistoriesKeepTheRules(_ number: Int) {
        var random = SeededRandom(seed: Seed.draw(number))
        var ledger = CoordinationLedger()
        var open: [Int] = []
        for step in 0..<200 {
            let before = ledger
            var wakes: Set<String> = []
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let (ticket, woken) = ledger.request(
                    process: "p\(Int.random(in: 0..<3, using: &random))",
                    purpose: "u\(Int.random(in: 0..<6, using: &random))",
                    presenter: Bool.random(using: &random) ? "P\(Int.random(in: 0..<3, using: &random))" : nil,
                    accesses: (0..<Int.random(in: 1...2, using: &random)).map { _ in Self.access(&random) })
                open.append(ticket)
                wakes = woken
            case 4..<7:
                guard let index = open.indices.randomElement(using: &random) else { continue }
                wakes = ledger.end(open.remove(at: index))
            case 7:
                wakes = open.randomElement(using: &random).map { ledger.answered($0) } ?? []
            case 8:
                ledger.setPresenter(
                    RegisteredPresenter(
                        name: "P\(Int.random(in: 0..<3, using: &random))", process: "p0",
                        path: Self.paths.randomElement(using: &random) ?? "/"))
            default:
                let process = "p\(Int.random(in: 0..<3, using: &random))"
                wakes = ledger.end(process: process)
                open.removeAll { ledger.claim($0) == nil }
            }
            check(ledger, after: before, wakes, "seed \(random.seed), step \(step)")
        }
        finish(&ledger, random.seed)
    }

    private func check(
        _ ledger: CoordinationLedger, after before: CoordinationLedger, _ wakes: Set<String>, _ step: String
    ) {
        let running = ledger.claims.filter { $0.phase == .running }
        for one in running {
            for other in running where one.ticket < other.ticket && one.purpose != other.purpose {
                #expect(!Self.meet(one, other), "\(step): \(one) and \(other)")
            }
        }
        for claim in ledger.claims where claim.phase == .waiting {
            // Whatever waits has something to wait for, and that is not itself.
            #expect(ledger.claims.contains { $0.ticket != claim.ticket && Self.meet($0, claim) }, "\(step): \(claim)")
        }
        for claim in ledger.claims where claim.phase != (before.claim(claim.ticket)?.phase ?? .waiting) {
            // The end of asking is noted by the process itself.
            #expect(wakes.contains(claim.process) || claim.phase == .answered, "\(step): \(claim)")
        }
    }

    /// Whoever runs ends, and whoever asks is answered: then every claim has its turn.
    private func finish(_ ledger: inout CoordinationLedger, _ seed: UInt64) {
        while !ledger.claims.isEmpty {
            let before = ledger.claims.count
            for claim in ledger.claims {
                switch ledger.claim(claim.ticket)?.phase {
                case .running?: _ = ledger.end(claim.ticket)
                case .asking?: _ = ledger.answered(claim.ticket)
                default: break
                }
            }
            let isStuck = ledger.claims.count == before && ledger.claims.allSatisfy { $0.phase == .waiting }
            #expect(!isStuck, "seed \(seed), nobody goes on: \(ledger.claims)")
            if isStuck { return }
        }
    }

    /// Whether two claims must not run together, by the letters of their paths.
    private static func meet(_ one: CoordinationClaim, _ other: CoordinationClaim) -> Bool {
        one.accesses.contains { first in
            other.accesses.contains { second in
                let (a, b) = (first.item.split(separator: "/"), second.item.split(separator: "/"))
                return (first.isWriting || second.isWriting) && (a.starts(with: b) || b.starts(with: a))
            }
        }
    }

    private static func access(_ random: inout SeededRandom) -> CoordinatedAccess {
        let path = paths.randomElement(using: &random) ?? "/"
        let isWriting = Bool.random(using: &random)
        return CoordinatedAccess(item: path, unit: path, isWriting: isWriting, options: 0)
    }
}
