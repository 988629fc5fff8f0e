import StratusSeeds
import Testing

@testable import StratusSyncHistories

/// Devices of one person come to hold the same, whatever happens between them.
///
/// `STRATUS_SYNC_HISTORIES` is the number of histories, and `STRATUS_SYNC_FIRST` the seed of the first one, which the
/// others follow. `STRATUS_SEED` runs the history of a seed again, and prints what happens in it.
@Suite struct SimulationTests {
    private static let seeds = SyncHistories.seeds(500)

    @Test func devicesConverge() async throws {
        if let failure = try await SyncHistories.failure(Self.seeds) {
            Issue.record(Comment(rawValue: failure))
        } else if let seed = Seed.given {
            print(try await SyncHistories.trace(seed).joined(separator: "\n"))
        }
    }

    /// What happens first is not always the same here, so that a seed may fail now and then.
    @Test("Engines that send and fetch by themselves converge, pushes that are lost and late included")
    func automaticDevicesConverge() async throws {
        for seed in Self.seeds.prefix(max(1, Self.seeds.count / 10)) {
            let history = History(seed: seed)
            let (violation, trace) = try await Simulation.runAutomatically(history)
            guard let violation else { continue }
            Issue.record("seed \(seed): \(violation)\n\(history)\nWhat happens:\n\(trace.joined(separator: "\n"))")
            return
        }
    }

    @Test("A fault is found where engines send and fetch by themselves, too")
    func aFaultIsFoundAutomatically() async throws {
        for seed: UInt64 in 1...500 {
            let (violation, _) = try await Simulation.runAutomatically(History(seed: seed), .overwritesConflicts)
            if violation?.rule == .lostEdit { return }
        }
        Issue.record("it is not found")
    }

    @Test("An app that is told of its zone's end, and ends at any moment of that, makes the zone anew")
    func theEndOfAZoneAtTheEndOfAProcess() async throws {
        let place = Place(zone: 0, name: 0)
        for callback in 0..<16 {
            for (isAfterwards, isTooLate) in [(false, false), (false, true), (true, false), (true, true)] {
                var history = History()
                let death = Incident.Death(callback: callback, isAfterwards: isAfterwards, isTooLate: isTooLate)
                history.steps = [
                    .edit(1, place), .send(1, Incident()), .fetch(0, Incident()), .expireTokens, .edit(0, place),
                    .fetch(0, Incident(death: death)),
                ]
                let violation = try await Simulation.run(history).violation
                #expect(violation == nil, "\(history)")
            }
        }
    }

    @Test func aHistoryIsTheSameEachTime() async throws {
        for seed: UInt64 in 1...20 {
            let history = History(seed: seed)
            let first = try await Simulation.run(history, isTraced: true).trace
            for _ in 0..<3 { #expect(try await Simulation.run(history, isTraced: true).trace == first, "seed \(seed)") }
        }
    }

    @Test("Faults that are put in are found, in a history of few steps", arguments: Mutation.allCases)
    func faultsAreFound(mutation: Mutation) async throws {
        // Always the same seeds: that a fault is found is not to depend on luck.
        for seed: UInt64 in 1...5_000 {
            let history = History(seed: seed)
            guard let violation = try await Simulation.run(history, mutation).violation else { continue }
            let shrunk = await history.shrunk { history in
                await (try? Simulation.run(history, mutation).violation?.rule) == violation.rule
            }
            print("\(mutation), seed \(seed): \(violation), in\n\(shrunk)")
            #expect(shrunk.steps.count <= 8)
            return
        }
        Issue.record("\(mutation) is not found")
    }
}
