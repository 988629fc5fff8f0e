import StratusSeeds

/// Histories of many seeds.
///
/// `STRATUS_SYNC_HISTORIES` is their number, and `STRATUS_SYNC_FIRST` the seed of the first one, which the others follow.
/// With `STRATUS_SEED` the history of that seed is run alone.
package enum SyncHistories {
    /// - Parameter count: The number of histories if the environment has none.
    package static func seeds(_ count: Int) -> Range<UInt64> { Seed.histories("STRATUS_SYNC", count) }

    /// Runs the histories of seeds on all processors.
    /// - Returns: What happens in one that fails, in as few steps as possible; nil if none fails.
    package static func failure(_ seeds: Range<UInt64>) async throws -> String? {
        let failed = try await Seed.firstFailure(seeds) { seed in
            try await Simulation.run(History(seed: seed)).violation != nil
        }
        guard let failed else { return nil }
        return try await story(of: failed)
    }

    /// What happens in the history of a seed.
    package static func trace(_ seed: UInt64) async throws -> [String] {
        try await Simulation.run(History(seed: seed), isTraced: true).trace
    }

    private static func story(of seed: UInt64) async throws -> String {
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
