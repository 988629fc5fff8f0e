import StratusSeeds
import Testing

@testable import StratusCloudStore

@Suite struct SortedMapTests {
    /// Keys beyond what their heads tell apart, and those within.
    @Test(arguments: [0, 15, 40]) func randomChangesActLikeADictionary(prefixSize: Int) throws {
        let prefix = [UInt8](repeating: 7, count: prefixSize)
        let seed = Seed.draw()
        print("sorted map seed \(seed)")
        var random = SeededRandom(seed: seed)
        for span in [50, 5_000] {
            var map = SortedMap<Int>()
            var model: [Key: Int] = [:]
            for step in 0..<20_000 {
                let key = Key(prefix + [UInt8(step & 1)] + bytes(Int.random(in: 0..<span, using: &random)))
                switch Int.random(in: 0..<1_000, using: &random) {
                case 0:
                    let range = KeyRange(
                        lower: key, upper: Key(prefix + [1] + bytes(Int.random(in: 0..<span, using: &random))))
                    map.remove(range)
                    model = model.filter { !range.contains($0.key) }
                case 1..<200:
                    map.remove(key)
                    model[key] = nil
                default:
                    map.set(key, step)
                    model[key] = step
                }
                try #require(map[key] == model[key], "seed \(seed)")
            }
            let ascending = model.sorted { $0.key < $1.key }
            #expect(map.count == model.count)
            #expect(map.map(\.key) == ascending.map(\.key), "seed \(seed)")
            #expect(map.map(\.value) == ascending.map(\.value), "seed \(seed)")
            #expect(map.reversed().map(\.key) == ascending.reversed().map(\.key), "seed \(seed)")
        }
    }

    /// As putting one after the other in its place, with few keys for many writes and the other way round.
    @Test(arguments: [0, 15, 40]) func manyAtOnceAreAsOneByOne(prefixSize: Int) {
        let prefix = [UInt8](repeating: 7, count: prefixSize)
        let seed = Seed.draw()
        print("sorted map seed \(seed)")
        var random = SeededRandom(seed: seed)
        for (count, span) in [(0, 1), (1, 1), (3_000, 40), (3_000, 60_000)] {
            let entries: [(key: Key, value: [UInt8]?)] = (0..<count).map {
                let isCleared = Int.random(in: 0..<5, using: &random) == 0
                return (Key(prefix + bytes(Int.random(in: 0..<span, using: &random))), isCleared ? nil : bytes($0))
            }
            var expected = SortedMap<[UInt8]?>()
            for (key, value) in entries { expected.set(key, value) }
            var journal = WriteJournal()
            for (key, value) in entries { journal.append(key, value) }
            var map = SortedMap(ascending: FinishedWrites(journal))
            #expect(map.count == expected.count)
            #expect(map.map(\.key) == expected.map(\.key), "seed \(seed)")
            #expect(map.map(\.value) == expected.map(\.value), "seed \(seed)")
            for (key, value) in entries {
                map.set(key, value)
                map.set(Key(key.bytes + [1]), value)
            }
            #expect(map.count == 2 * expected.count)
        }
    }

    @Test func aCopyIsNotChanged() {
        var map = SortedMap<Int>()
        for number in 0..<2_000 { map.set(Key(bytes(number)), number) }
        let copy = map
        map.remove(KeyRange(lower: Key(), upper: Key([0xFF])))
        #expect(map.isEmpty)
        #expect(copy.map(\.value) == Array(0..<2_000))
    }

    @Test func keysSortAsTheirHeads() {
        let seed = Seed.draw()
        print("key head seed \(seed)")
        var random = SeededRandom(seed: seed)
        func key(_ random: inout SeededRandom) -> Key {
            Key(
                (0..<Int.random(in: 0...20, using: &random)).map { _ in [0, 1, 0xFF].randomElement(using: &random) ?? 0
                })
        }
        for _ in 0..<5_000 {
            let (first, second) = (key(&random), key(&random))
            let (left, right) = (KeyHead(first), KeyHead(second))
            if left < right { #expect(first < second, "seed \(seed)") }
            if first < second { #expect(left <= right, "seed \(seed)") }
        }
        #expect(KeyHead(Key([1, 2])) < KeyHead(Key([1, 3])))
        #expect(KeyHead(Key(Array(0..<15))) < KeyHead(Key(Array(0..<16))))
    }

    private func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}

@Suite struct KeyRangeSetTests {
    @Test func randomRangesActLikeASetOfKeys() throws {
        let seed = Seed.draw()
        print("range set seed \(seed)")
        var random = SeededRandom(seed: seed)
        func range(_ random: inout SeededRandom) -> (KeyRange, Range<Int>) {
            let lower = Int.random(in: 0..<60, using: &random)
            let upper = lower + Int.random(in: 0..<8, using: &random)
            return (KeyRange(lower: Key([UInt8(lower)]), upper: Key([UInt8(upper)])), lower..<upper)
        }
        for _ in 0..<500 {
            var set = KeyRangeSet()
            var model: Set<Int> = []
            for _ in 0..<Int.random(in: 0..<15, using: &random) {
                let (keys, numbers) = range(&random)
                set.insert(keys)
                model.formUnion(numbers)
            }
            for number in 0..<70 {
                #expect(set.contains(Key([UInt8(number)])) == model.contains(number), "seed \(seed)")
            }
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upper < $1.lower }, "seed \(seed)")
            let (asked, numbers) = range(&random)
            let free = set.gaps(in: asked).flatMap { Int($0.lower.bytes[0])..<Int($0.upper.bytes[0]) }
            try #require(free == numbers.filter { !model.contains($0) }, "seed \(seed)")
        }
    }
}
