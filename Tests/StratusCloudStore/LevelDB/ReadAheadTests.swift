import StratusSeeds
import Testing

@testable import StratusCloudStore

/// Tables are read a piece ahead where a thread reads on; what it gets is what lies there.
@Suite struct ReadAheadTests {
    private let home = Partition("home")

    /// Several readings of one thread go on by turns, of more tables than it reads ahead in, while tables come and go.
    @Test func readingsThatTakeTurnsSeeWhatIsThere() async throws {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        var options = LevelDBStore.Options()
        // Dozens of small tables, none of whose blocks stays in memory.
        options.writeBufferSize = 65_536
        options.tableSize = 65_536
        options.cacheSize = 0
        let store = try LevelDBStore(directory: directory.path, options: options)
        var model: [Key: [UInt8]] = [:]
        func key(_ number: Int) -> Key { Key([UInt8(number >> 8), UInt8(number & 255)]) }
        for round in 0..<3 {
            for start in stride(from: 0, to: 6_000, by: 500) {
                var writes: [Key: [UInt8]] = [:]
                for number in start..<(start + 500) where Int.random(in: 0..<4, using: &random) <= round {
                    writes[key(number)] = value(Int.random(in: 0...700, using: &random), round)
                }
                try await store.write(home) { [writes] in for (key, value) in writes { $0.set(key, value) } }
                model.merge(writes) { _, new in new }
            }
            let keys = model.keys.sorted()
            let plan = (0..<150).map { _ in
                (
                    reading: Int.random(in: 0..<6, using: &random), count: Int.random(in: 1...60, using: &random),
                    single: Int.random(in: 0..<6_000, using: &random),
                    reverse: Int.random(in: 0..<8, using: &random) == 0
                )
            }
            try await store.read(home) { [model] transaction in
                var places = (0..<6).map { $0 * keys.count / 6 }
                for step in plan {
                    let place = places[step.reading]
                    let wanted = keys[place..<min(place + step.count, keys.count)]
                    places[step.reading] = wanted.endIndex == keys.count ? 0 : wanted.endIndex
                    guard let first = wanted.first, let last = wanted.last else { continue }
                    let found = try transaction.entries(
                        in: KeyRange(lower: first, upper: last.next), limit: step.count, reverse: step.reverse)
                    let expected = wanted.map { StoreEntry(key: $0, value: model[$0] ?? []) }
                    #expect(found == (step.reverse ? expected.reversed() : expected), "seed \(seed)")
                    let single = Key([UInt8(step.single >> 8), UInt8(step.single & 255)])
                    #expect(try transaction.get(single) == model[single], "seed \(seed)")
                }
            }
        }
        await store.close()
    }
}
