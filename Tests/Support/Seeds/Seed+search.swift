import Foundation

extension Seed {
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
