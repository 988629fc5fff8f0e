import StratusMirrorHistories
import StratusSeeds
import Testing

/// The stores of several devices come to be the same, whatever happens to them, and nothing that was saved is lost.
///
/// `STRATUS_MIRROR_HISTORIES` is the number of histories, and `STRATUS_MIRROR_FIRST` the seed of the first one, which the
/// others follow. `STRATUS_SEED` runs the history of a seed again, and prints what happens in it.
@Suite struct MirrorHistoriesTests {
    @Test("stores converge, and nothing that was saved is lost")
    func storesConverge() async throws {
        if let failure = try await MirrorHistories.failure(MirrorHistories.seeds(100)) {
            Issue.record(Comment(rawValue: failure))
        } else if let seed = Seed.given {
            print(try await MirrorHistories.trace(seed).joined(separator: "\n"))
        }
    }

    @Test("faults that are put in are found, in a history of few steps", arguments: MirrorMutation.allCases)
    func faultsAreFound(mutation: MirrorMutation) async throws {
        // Always the same seeds: whether a fault is found must not depend on luck.
        for seed: UInt64 in 1...2_000 {
            let history = MirrorHistory(seed: seed)
            guard let rule = try await MirrorHistories.rule(history, mutation) else { continue }
            let shrunk = await history.shrunk { history in
                do { return try await MirrorHistories.rule(history, mutation) == rule } catch { return false }
            }
            print("\(mutation), seed \(seed): \(rule), in\n\(shrunk)")
            #expect(shrunk.length <= 10)
            return
        }
        Issue.record("\(mutation) is not found")
    }
}
