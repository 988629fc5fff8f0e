import StratusSeeds
import StratusWorkers

/// Histories of many seeds.
///
/// `STRATUS_MIRROR_HISTORIES` is their number, and `STRATUS_MIRROR_FIRST` the seed of the first one, which the others
/// follow. With `STRATUS_SEED` the history of that seed is run alone.
package enum MirrorHistories {
    /// - Parameter count: The number of histories if the environment has none.
    package static func seeds(_ count: Int) -> Range<UInt64> { Seed.histories("STRATUS_MIRROR", count) }

    /// Runs the histories of seeds on all processors.
    /// - Returns: What happens in one that fails, in as few steps as possible; nil if none fails.
    package static func failure(_ seeds: Range<UInt64>) async throws -> String? {
        let violations = Lock<[UInt64: MirrorViolation]>([:])
        let failed = try await Seed.firstFailure(seeds) { seed in
            guard let violation = try await MirrorSimulation.run(MirrorHistory(seed: seed)).violation else {
                return false
            }
            violations.withLock { $0[seed] = violation }
            return true
        }
        guard let failed, let violation = violations.withLock({ $0[failed] }) else { return nil }
        return try await story(of: failed, violation)
    }

    /// Returns the steps and moments of the history of a seed.
    package static func trace(_ seed: UInt64) async throws -> [String] {
        try await MirrorSimulation.run(MirrorHistory(seed: seed), isTraced: true).trace
    }

    /// - Returns: The rule that a history breaks; nil if it breaks none.
    package static func rule(_ history: MirrorHistory, _ mutation: MirrorMutation? = nil) async throws -> String? {
        try await MirrorSimulation.run(history, mutation).violation?.rule.rawValue
    }

    private static func story(of seed: UInt64, _ first: MirrorViolation) async throws -> String {
        let history = MirrorHistory(seed: seed)
        guard let rule = try await MirrorSimulation.run(history).violation?.rule else {
            return "the history of seed \(seed) fails (\(first)), and does not when it is run again"
        }
        let shrunk = await history.shrunk { await (try? MirrorSimulation.run($0).violation?.rule) == rule }
        let (violation, trace) = try await MirrorSimulation.run(shrunk, isTraced: true)
        return """
            seed \(seed): \(violation?.description ?? "")
            \(shrunk)
            What happens:
            \(trace.joined(separator: "\n"))
            """
    }
}
