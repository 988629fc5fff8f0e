import StratusSeeds
import Testing

@testable import StratusCloudStore

@Suite struct WriteJournalTests {
    /// Looked up now and then, so that the table is made and falls behind.
    @Test func theLatestWriteOfAKeyCounts() throws {
        let seed = Seed.draw()
        print("write journal seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            var writes = WriteJournal()
            var model: [Key: [UInt8]?] = [:]
            for step in 0..<200 {
                let key = Key([UInt8.random(in: 0..<20, using: &random)])
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let value: [UInt8]? = Bool.random(using: &random) ? [UInt8(step)] : nil
                    writes.append(key, value)
                    model[key] = .some(value)
                case 5:
                    var later = WriteJournal()
                    for byte in 0..<UInt8.random(in: 0..<5, using: &random) {
                        later.append(Key([byte]), [byte])
                        model[Key([byte])] = .some([byte])
                    }
                    writes.append(later)
                default:
                    let found = writes.value(of: key)
                    try #require(found == model[key], "seed \(seed)")
                }
            }
            #expect(writes.isEmpty == model.isEmpty)
        }
    }

    /// Keys of all lengths, among them none, of which one begins with another; so many that the table grows.
    @Test func keysOfAllLengthsAreToldApart() throws {
        let seed = Seed.draw()
        print("write journal seed \(seed)")
        var random = SeededRandom(seed: seed)
        func key(_ random: inout SeededRandom) -> Key {
            Key((0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) })
        }
        var writes = WriteJournal()
        var model: [Key: [UInt8]?] = [:]
        var written: [Key] = []
        for step in 0..<5_000 {
            let key = key(&random)
            written.append(key)
            let value = withUnsafeBytes(of: step) { Array($0) }
            writes.append(key, value)
            model[key] = .some(value)
            guard step % 10 == 0 else { continue }
            let other = written[Int.random(in: written.indices, using: &random)]
            try #require(writes.value(of: other) == model[other], "seed \(seed)")
            let unknown = Key(other.bytes + [3])
            try #require(writes.value(of: unknown) == nil, "seed \(seed)")
        }
        for (key, value) in model { try #require(writes.value(of: key) == .some(value), "seed \(seed)") }
        var finished: [Key: [UInt8]?] = [:]
        var order: [Key] = []
        FinishedWrites(writes).forEach { key, value in
            order.append(Key(Array(key)))
            finished[Key(Array(key))] = .some(value.map { Array($0) })
        }
        #expect(finished == model, "seed \(seed)")
        #expect(order == model.keys.sorted(), "seed \(seed)")
    }
}
