import Foundation
import StratusDriveHistories
import StratusSeeds
import StratusTestSupport

// Runs histories of the synchronized directory as a release build: several times as many as a test runs in the same time.
let seeds = DriveHistories.seeds(10_000)
let start = ContinuousClock.now
let processes = Seed.given == nil ? SimulatorProcesses.count : 1
if processes > 1 {
    let failures = try await SimulatorProcesses.failures(seeds, in: processes)
    guard failures.isEmpty else {
        print(failures.joined(separator: "\n"))
        exit(1)
    }
} else {
    // The agents coordinate with no programs of the machine.
    let runtime = try TemporaryDirectory(inMemory: true)
    setenv("XDG_RUNTIME_DIR", runtime.path, 1)
    if let failure = try await DriveHistories.failure(seeds) {
        print(failure)
        exit(1)
    }
    if let seed = Seed.given { print(try await DriveHistories.trace(seed).joined(separator: "\n")) }
}
let seconds = (ContinuousClock.now - start).components.seconds
print("\(seeds.count) histories from seed \(seeds.lowerBound) on: all converge and lose nothing, in \(seconds) s")
