import Foundation
import StratusSeeds
import Testing

@testable import StratusUbiquity

/// Folders of several devices come to be the same, whatever happens to them, and no content is lost.
///
/// `STRATUS_DRIVE_HISTORIES` says how many histories are tried and `STRATUS_DRIVE_FIRST` the seed of the first, of which
/// the others follow; `STRATUS_SEED` runs the one of a seed again.
@Suite struct DriveHistoriesTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["STRATUS_DRIVE_HISTORIES"].flatMap { Int($0) } ?? 100
    private static let first = environment["STRATUS_DRIVE_FIRST"].flatMap { UInt64($0) } ?? 1

    @Test("folders converge, and nothing that was closed is lost")
    func foldersConverge() async throws {
        let (first, count) = Seed.given.map { ($0, 1) } ?? (Self.first, Self.count)
        for seed in first..<first + UInt64(count) {
            let history = DriveHistory(seed: seed)
            guard try await DriveSimulation.run(history).violation != nil else { continue }
            // A simulation that cannot run shows nothing.
            let shrunk = await history.shrunk {
                do { return try await DriveSimulation.run($0).violation != nil } catch { return false }
            }
            let (violation, trace) = try await DriveSimulation.run(shrunk)
            Issue.record("seed \(seed): \(violation ?? "not again")\n\(trace.joined(separator: "\n"))")
            return
        }
    }
}
