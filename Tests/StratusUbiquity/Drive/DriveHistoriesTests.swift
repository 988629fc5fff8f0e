import StratusDriveHistories
import StratusSeeds
import Testing

/// Folders of several devices come to be the same, whatever happens to them, and no content is lost.
///
/// `STRATUS_DRIVE_HISTORIES` is the number of histories, and `STRATUS_DRIVE_FIRST` the seed of the first one, which the
/// others follow. `STRATUS_SEED` runs the history of a seed again, and prints what happens in it.
@Suite struct DriveHistoriesTests {
    @Test("folders converge, and nothing that was closed is lost")
    func foldersConverge() async throws {
        if let failure = try await DriveHistories.failure(DriveHistories.seeds(100)) {
            Issue.record(Comment(rawValue: failure))
        } else if let seed = Seed.given {
            print(try await DriveHistories.trace(seed).joined(separator: "\n"))
        }
    }

    /// A file system on a disk gives the identity of a deleted file to the next one.
    @Test("folders converge on a disk, too")
    func foldersConvergeOnADisk() async throws {
        let seeds = DriveHistories.seeds(100)
        let some = seeds.lowerBound..<seeds.lowerBound + UInt64(max(1, seeds.count / 10))
        if let failure = try await DriveHistories.failure(some, inMemory: false) {
            Issue.record(Comment(rawValue: failure))
        }
    }

    @Test("faults that are put in are found, in a history of few steps", arguments: DriveMutation.allCases)
    func faultsAreFound(mutation: DriveMutation) async throws {
        // Always the same seeds: whether a fault is found must not depend on luck.
        for seed: UInt64 in 1...2_000 {
            let history = DriveHistory(seed: seed)
            guard let rule = try await DriveHistories.violation(history, mutation)?.rule else { continue }
            let shrunk = await history.shrunk { history in
                do { return try await DriveHistories.violation(history, mutation)?.rule == rule } catch { return false }
            }
            print("\(mutation), seed \(seed): \(rule), in\n\(shrunk)")
            #expect(shrunk.steps.count <= 8)
            return
        }
        Issue.record("\(mutation) is not found")
    }

    @Test("a history is the same each time")
    func sameEachTime() async throws {
        for seed: UInt64 in 1...20 {
            let first = try await DriveHistories.trace(seed)
            for _ in 0..<2 { #expect(try await DriveHistories.trace(seed) == first, "seed \(seed)") }
        }
    }
}
