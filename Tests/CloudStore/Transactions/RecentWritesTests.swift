import Testing

@testable import CloudStore

@Suite struct RecentWritesTests {
    /// Looked up now and then, so that the table is made and falls behind.
    @Test func theLatestWriteOfAKeyCounts() throws {
        let seed = freshSeed()
        print("recent writes seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            var writes = RecentWrites()
            var model: [Key: [UInt8]?] = [:]
            for step in 0..<200 {
                let key = Key([UInt8.random(in: 0..<20, using: &random)])
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let value: [UInt8]? = Bool.random(using: &random) ? [UInt8(step)] : nil
                    writes.append(key, value)
                    model[key] = .some(value)
                case 5:
                    var later = RecentWrites()
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
}
