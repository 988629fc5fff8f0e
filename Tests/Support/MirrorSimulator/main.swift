import Foundation
import StratusMirrorHistories
import StratusSeeds

// Runs histories of mirrored stores as a release build: several times as many as a test runs in the same time.
let seeds = MirrorHistories.seeds(10_000)
let start = ContinuousClock.now
if let failure = try await MirrorHistories.failure(seeds) {
    print(failure)
    exit(1)
}
if let seed = Seed.given { print(try await MirrorHistories.trace(seed).joined(separator: "\n")) }
let seconds = (ContinuousClock.now - start).components.seconds
print("\(seeds.count) histories from seed \(seeds.lowerBound) on: all stores are the same, in \(seconds) s")
