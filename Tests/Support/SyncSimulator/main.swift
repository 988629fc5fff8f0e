import Foundation
import StratusSeeds
import StratusSyncHistories

// Runs histories of the sync engine as a release build: several times as many as a test runs in the same time.
let seeds = SyncHistories.seeds(10_000)
let start = ContinuousClock.now
if let failure = try await SyncHistories.failure(seeds) {
    print(failure)
    exit(1)
}
if let seed = Seed.given { print(try await SyncHistories.trace(seed).joined(separator: "\n")) }
let seconds = (ContinuousClock.now - start).components.seconds
print("\(seeds.count) histories from seed \(seeds.lowerBound) on: all converge, in \(seconds) s")
