import Foundation
import StratusSeeds
import Testing

/// Devices of one person come to hold the same, whatever happens between them.
///
/// `STRATUS_SYNC_HISTORIES` says how many histories are tried and `STRATUS_SYNC_FIRST` the seed of the first, of which the
/// others follow; `STRATUS_SEED` runs the one of a seed again, with all that happens in it.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["STRATUS_SYNC_HISTORIES"].flatMap { Int($0) } ?? 500
    private static let first = environment["STRATUS_SYNC_FIRST"].flatMap { UInt64($0) } ?? 1
    private static let seed = Seed.given

    @Test func devicesConverge() async throws {
        let (first, count) = Self.seed.map { ($0, 1) } ?? (Self.first, Self.count)
        let seeds = first..<first + UInt64(count)
        if let seed = try await Seed.firstFailure(
            seeds, { try await Simulation.run(History(seed: $0)).violation != nil })
        {
            Issue.record(Comment(rawValue: try await story(of: seed)))
        } else if Self.seed != nil {
            print(try await Simulation.run(History(seed: first), isTraced: true).trace.joined(separator: "\n"))
        }
    }

    /// What happens first is not always the same here, so that a seed may fail now and then.
    @Test("Engines that send and fetch by themselves converge, pushes that are lost and late included")
    func automaticDevicesConverge() async throws {
        let seeds = Self.seed.map { $0..<$0 + 1 } ?? Self.first..<Self.first + UInt64(max(1, Self.count / 10))
        for seed in seeds {
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

    /// Why a seed fails, in as few steps as can be.
    private func story(of seed: UInt64) async throws -> String {
        let history = History(seed: seed)
        guard let rule = try await Simulation.run(history).violation?.rule else {
            return "the history of seed \(seed) fails, and does not when it is run again"
        }
        let shrunk = await history.shrunk { await (try? Simulation.run($0).violation?.rule) == rule }
        let (violation, trace) = try await Simulation.run(shrunk, isTraced: true)
        return """
            seed \(seed): \(violation?.description ?? "")
            \(shrunk)
            What happens:
            \(trace.joined(separator: "\n"))
            """
    }
}
