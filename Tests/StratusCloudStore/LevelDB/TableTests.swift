import Foundation
import StratusSeeds
import Testing

@testable import StratusCloudStore

/// Tables, which are written and read by code of our own: whatever keys look like, each row is found where it is, and no
/// other.
@Suite struct TableTests {
    private let home = Partition("home")

    /// Keys of a kind that an index may be bad at.
    private enum Shape: CaseIterable {
        /// Numbers without gaps, as versions are.
        case counted
        /// Numbers most of which are close together.
        case crowded
        /// What tells them apart stands behind much that is the same.
        case longAlike
        /// Each begins another, or ends in zeros.
        case nested
        /// Anything.
        case random

        func key(_ number: Int, using random: inout SeededRandom) -> Key {
            switch self {
            case .counted: return Key([7] + bytes(number))
            case .crowded:
                let spread = number % 50 == 0 ? number << 32 : number
                return Key([7] + (0..<8).map { UInt8(truncatingIfNeeded: spread >> (56 - 8 * $0)) })
            case .longAlike: return Key([UInt8](repeating: 0x61, count: 40) + bytes(number))
            case .nested:
                return Key([UInt8](repeating: UInt8(number % 3), count: number % 40) + bytes(number % 60 == 0 ? 1 : 0))
            case .random:
                let count = Int.random(in: 0...20, using: &random)
                return Key((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
        }

        private func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }
    }

    /// Rows of all sizes: none, such as many of which share a block, and such as have one each.
    private func size(using random: inout SeededRandom) -> Int {
        let most = [0, 20, 300, 1_200, 9_000][Int.random(in: 0..<5, using: &random)]
        return Int.random(in: 0...most, using: &random)
    }

    /// As small as LevelDB makes them.
    private var smallTables: LevelDBStore.Options {
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        options.tableSize = 1_048_576
        return options
    }

    @Test(arguments: [0, 65_536]) func rowsAreFoundWhateverTheirKeysAreLike(cacheSize: Int) async throws {
        for shape in Shape.allCases {
            let seed = Seed.draw()
            var random = SeededRandom(seed: seed)
            let directory = try TemporaryDirectory()
            var options = smallTables
            options.cacheSize = cacheSize
            var model: [Key: [UInt8]] = [:]
            var keys: [Key] = []
            // Twice, so that tables are made of tables, and some rows are gone.
            for round in 0..<2 {
                let store = try LevelDBStore(directory: directory.path, options: options)
                for _ in 0..<8 {
                    let writes = (0..<150).map { _ in
                        let key = shape.key(Int.random(in: 0..<4_000, using: &random), using: &random)
                        let isGone = Int.random(in: 0..<5, using: &random) == 0
                        return (key, isGone ? nil : value(size(using: &random), round))
                    }
                    try await store.write(home) { transaction in
                        for (key, value) in writes {
                            if let value { transaction.set(key, value) } else { transaction.clear(key) }
                        }
                    }
                    for (key, value) in writes { model[key] = value }
                    keys += writes.map(\.0)
                }
                await store.close()
            }
            let store = try LevelDBStore(directory: directory.path, options: options)
            try await expect(model, asking: keys, of: shape, in: store, using: &random)
            await store.close()
        }
    }

    private func expect(
        _ model: [Key: [UInt8]], asking keys: [Key], of shape: Shape, in store: LevelDBStore,
        using random: inout SeededRandom
    ) async throws {
        let present = model.keys.sorted()
        let others = (0..<300).map { _ in shape.key(Int.random(in: 0..<60_000, using: &random), using: &random) }
        // Those that only zeros at the end tell from one that is there.
        let alike = keys.prefix(100).flatMap {
            [Key($0.bytes + [0]), Key($0.bytes + [0, 0]), Key($0.bytes.dropLast())]
        }
        let absent = others + alike
        let bounds = (0..<60).map { _ in
            let ends = [keys, absent].map { $0[Int.random(in: 0..<$0.count, using: &random)] }.sorted()
            return (range: KeyRange(lower: ends[0], upper: ends[1]), limit: Int.random(in: 1...200, using: &random))
        }
        let comment = Comment(rawValue: "\(shape), \(random)")
        try await store.read(home) { transaction in
            for key in keys + absent { #expect(try transaction.get(key) == model[key], comment) }
            for (range, limit) in bounds {
                let expected = present.filter { $0 >= range.lower && $0 < range.upper }
                let forwards = try transaction.entries(in: range, limit: limit)
                // Compared outside, so that failures stay short.
                let isForwards = forwards.map(\.key) == Array(expected.prefix(limit))
                #expect(isForwards, comment)
                let backwards = try transaction.entries(in: range, limit: limit, reverse: true)
                let isBackwards = backwards.map(\.key) == expected.suffix(limit).reversed()
                #expect(isBackwards, comment)
                #expect((forwards + backwards).allSatisfy { model[$0.key] == $0.value }, comment)
            }
        }
    }

    /// One key may fill several blocks, as long as somebody reads what was there before.
    @Test func everySnapshotSeesItsOwnRowOfOneKey() throws {
        let directory = try TemporaryDirectory()
        let database = try LevelDBDatabase(
            path: directory.file("database"), mayCreate: true, LevelDBStore.Options(), hold: RemovalHold())
        let (before, changed, behind) = (Array("a".utf8), Array("b".utf8), Array("c".utf8))
        func write(_ key: [UInt8], _ content: [UInt8]) throws {
            let batch = WriteBatch()
            batch.set([], key, content)
            try database.append(batch)
            try database.sync()
        }
        func read(_ key: [UInt8], _ snapshot: OpaquePointer?) throws -> [UInt8]? {
            try key.withUnsafeBytes { key throws(StoreError) in try database.get(key, snapshot) }
        }
        func readAll(_ snapshot: OpaquePointer, reverse: Bool) throws -> [[UInt8]] {
            var values: [[UInt8]] = []
            try withUnsafeBytes(of: (UInt8(ascii: "a"), UInt8(ascii: "d"))) { bounds throws(StoreError) in
                let (lower, upper) = (bounds[..<1], bounds[1...])
                try database.forEach(
                    from: UnsafeRawBufferPointer(rebasing: lower), to: UnsafeRawBufferPointer(rebasing: upper),
                    reverse: reverse, snapshot
                ) { _, value in
                    values.append(Array(value))
                    return true
                }
            }
            return values
        }
        func goOn(_ round: Int, _ snapshots: [OpaquePointer]) throws {
            guard round < 40 else {
                database.flush()
                for (round, snapshot) in snapshots.enumerated() {
                    #expect(try read(changed, snapshot) == value(900, round))
                    #expect(try read(before, snapshot) == value(5))
                    #expect(try read(behind, snapshot) == value(6))
                    let all = [value(5), value(900, round), value(6)]
                    #expect(try readAll(snapshot, reverse: false) == all)
                    #expect(try readAll(snapshot, reverse: true) == all.reversed())
                }
                return
            }
            try write(changed, value(900, round))
            try database.withSnapshot { try goOn(round + 1, snapshots + [$0]) }
        }
        try write(before, value(5))
        try write(behind, value(6))
        try goOn(0, [])
        #expect(try read(changed, nil) == value(900, 39))
    }
}
