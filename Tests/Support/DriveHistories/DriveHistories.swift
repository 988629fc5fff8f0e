import StratusSeeds

/// Histories of many seeds.
///
/// `STRATUS_DRIVE_HISTORIES` is their number, and `STRATUS_DRIVE_FIRST` the seed of the first one, which the others
/// follow. With `STRATUS_SEED` the history of that seed is run alone.
package enum DriveHistories {
    /// - Parameter count: The number of histories if the environment has none.
    package static func seeds(_ count: Int) -> Range<UInt64> { Seed.histories("STRATUS_DRIVE", count) }

    /// Runs the histories of seeds on all processors.
    /// - Parameter inMemory: Whether the directories are in memory.
    /// - Returns: What happens in one that fails, in as few steps as possible; nil if none fails.
    package static func failure(_ seeds: Range<UInt64>, inMemory: Bool = true) async throws -> String? {
        let failed = try await Seed.firstFailure(seeds) { seed in
            try await DriveSimulation.run(DriveHistory(seed: seed), inMemory: inMemory).violation != nil
        }
        guard let failed else { return nil }
        return try await story(of: failed, inMemory: inMemory)
    }

    /// What happens in the history of a seed.
    package static func trace(_ seed: UInt64) async throws -> [String] {
        try await DriveSimulation.run(DriveHistory(seed: seed), isTraced: true).trace
    }

    /// - Returns: The broken rule; nil if none is.
    package static func violation(
        _ history: DriveHistory, _ mutation: DriveMutation? = nil, inMemory: Bool = true
    ) async throws -> DriveViolation? {
        try await DriveSimulation.run(history, mutation, inMemory: inMemory).violation
    }

    private static func story(of seed: UInt64, inMemory: Bool) async throws -> String {
        let history = DriveHistory(seed: seed)
        guard let rule = try await Self.violation(history, inMemory: inMemory)?.rule else {
            return "the history of seed \(seed) fails, and does not when it is run again"
        }
        // A simulation that cannot run shows nothing.
        let shrunk = await history.shrunk { history in
            do { return try await Self.violation(history, inMemory: inMemory)?.rule == rule } catch { return false }
        }
        let (violation, trace) = try await DriveSimulation.run(shrunk, inMemory: inMemory, isTraced: true)
        return """
            seed \(seed): \(violation?.description ?? "not again")
            \(shrunk)
            What happens:
            \(trace.joined(separator: "\n"))
            To run it again: STRATUS_SEED=\(seed) swift test --filter DriveHistoriesTests
            """
    }
}
