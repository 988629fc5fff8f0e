import StratusSeeds

/// What happens to the folders of one person on several devices. Nothing in it is left to chance, so that it can be run
/// again, and without one of its steps it is otherwise the same.
struct DriveHistory: Sendable {
    static let devices = 3
    static let longest = 30
    var steps: [Step] = []

    enum Step: Sendable, Hashable {
        /// Writes a new content, to a file that may be there.
        case write(Int, Int)
        /// Writes a new file and renames it over another one.
        case replace(Int, Int)
        case truncate(Int, Int)
        /// Moves whatever is at one place to another one.
        case move(Int, Int, Int)
        case makeFolder(Int, Int)
        case link(Int, Int)
        case execute(Int, Int)
        case delete(Int, Int)
        /// Removes the content of a file from a device, or asks for it.
        case evict(Int, Int)
        case download(Int, Int)
        /// Removes a folder from a device, or brings it back.
        case deselect(Int, Int)
        case select(Int, Int)
        case synchronize(Int)
        /// The process ends at a checkpoint, and another one begins.
        case crash(Int, Int)
        case offline(Int)
        case online(Int)
        /// The answer to the next change is lost.
        case loseAnswer(Int)
        case expireTokens
    }

    init(steps: [Step]) { self.steps = steps }

    /// The history of a seed.
    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = Int.random(in: 4...Self.longest, using: &random)
        steps = (0..<count).map { _ in Self.step(&random) }
    }

    private static func step(_ random: inout SeededRandom) -> Step {
        let device = Int.random(in: 0..<devices, using: &random)
        func place() -> Int { Int.random(in: 0..<DrivePlaces.all.count, using: &random) }
        switch Int.random(in: 0..<48, using: &random) {
        case 0..<7: return .write(device, place())
        case 7..<9: return .replace(device, place())
        case 9: return .truncate(device, place())
        case 10..<15: return .move(device, place(), place())
        case 15..<18: return .makeFolder(device, place())
        case 18: return .link(device, place())
        case 19: return .execute(device, place())
        case 20..<23: return .delete(device, place())
        case 23..<34: return .synchronize(device)
        case 34..<36: return .crash(device, Int.random(in: 0..<12, using: &random))
        case 36: return .offline(device)
        case 37: return .online(device)
        case 38: return .loseAnswer(device)
        case 39..<42: return .evict(device, place())
        case 42: return .download(device, place())
        case 43..<46: return .deselect(device, place())
        case 46: return .select(device, place())
        default: return .expireTokens
        }
    }

    /// A history that fails still and cannot be made simpler by leaving out steps.
    func shrunk(_ fails: (DriveHistory) async -> Bool) async -> DriveHistory {
        var best = self
        var length = max(1, steps.count / 2)
        while true {
            var start = 0
            var isSimpler = false
            while start < best.steps.count {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + length, best.steps.count))
                if await fails(candidate) {
                    best = candidate
                    isSimpler = true
                } else {
                    start += length
                }
            }
            if length > 1 { length /= 2 } else if !isSimpler { return best }
        }
    }
}

/// Places in a folder: few, so that devices meet.
enum DrivePlaces {
    static let all = [
        "a", "b", "A", "d", "d/a", "d/b", "e", "e/a", "d/e", "d/e/a", "e/d", "p.rtfd", "p.rtfd/a", "d/p.rtfd",
        "d/p.rtfd/b",
    ]
}
