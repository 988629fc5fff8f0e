import Foundation

extension Seed {
    /// The seeds of histories that a run tries.
    ///
    /// A variable of the environment is their number, another one the first of them. With `STRATUS_SEED` there is only
    /// that one.
    /// - Parameters:
    ///   - name: How the names of the variables begin: `NAME_HISTORIES` and `NAME_FIRST`.
    ///   - count: The number of seeds if the environment has none.
    public static func histories(_ name: String, _ count: Int) -> Range<UInt64> {
        if let given { return given..<given + 1 }
        let environment = ProcessInfo.processInfo.environment
        let count = environment[name + "_HISTORIES"].flatMap { UInt64($0) } ?? UInt64(count)
        let first = environment[name + "_FIRST"].flatMap { UInt64($0) } ?? 1
        return first..<first + count
    }

    /// Tries seeds on all processors.
    /// - Returns: A seed that fails; nil if none does.
    public static func firstFailure(
        _ seeds: Range<UInt64>, _ fails: @escaping @Sendable (UInt64) async throws -> Bool
    ) async throws -> UInt64? {
        let workers = UInt64(max(1, ProcessInfo.processInfo.activeProcessorCount))
        return try await withThrowingTaskGroup(of: UInt64?.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for seed in seeds where seed % workers == worker {
                        try Task.checkCancellation()
                        if try await fails(seed) { return seed }
                    }
                    return nil
                }
            }
            for try await seed in group {
                guard let seed else { continue }
                group.cancelAll()
                // The others end with the history that they are at.
                while (try? await group.next()) != nil {}
                return seed
            }
            return nil
        }
    }
}
