import Foundation
import StratusSeeds
import Testing

@testable import StratusCloudStore

/// Blocks of tables with the right checksum and wrong contents: whoever reads them gets rows or an error, and the process
/// goes on.
@Suite struct TableDamageTests {
    private let home = Partition("home")

    private func key(_ number: Int, kinds: Int) -> Key {
        Key([UInt8(number % kinds + 0x20), UInt8(number / 256), UInt8(number % 256)])
    }

    private func makeTable(_ directory: TemporaryDirectory) async throws {
        let store = try LevelDBStore(directory: directory.path)
        try await store.write(home) { transaction in
            for number in 0..<300 { transaction.set(key(number, kinds: 3), value(number)) }
        }
        await store.close()
    }

    /// The oldest first.
    private func tablePaths(_ directory: TemporaryDirectory) throws -> [String] {
        let folder = directory.file("stratus.leveldb")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".ldb") }
        return names.sorted().map { folder + "/" + $0 }
    }

    /// Where the key of row 0 ends. Behind the number of its partition it is the first that is whole.
    private func lastByteOfFirstKey(in table: TableFile) throws -> Int {
        let block = table.blocks[0]
        let key: [UInt8] = [1, 1] + key(0, kinds: 3).bytes
        let place = block.first { Array(table.bytes[$0..<$0 + key.count]) == key }
        return try #require(place) + key.count - 1
    }

    /// Whether all could be read.
    private func readsAll(_ directory: TemporaryDirectory) async throws -> Bool {
        do {
            let store = try LevelDBStore(directory: directory.path)
            do {
                try await store.read(home) { transaction in
                    // Some are not there.
                    for number in 0..<320 { _ = try transaction.get(key(number, kinds: 4)) }
                    _ = try transaction.entries(in: Key.all, limit: .max)
                    _ = try transaction.entries(in: Key.all, limit: .max, reverse: true)
                }
            } catch {
                await store.close()
                throw error
            }
            await store.close()
            return true
        } catch let error as StoreError {
            #expect(error.code == .corrupted, "\(error)")
            return false
        }
    }

    /// Where a search begins stands at the end of a block.
    @Test func aSearchThatWouldBeginNowhereIsRefused() async throws {
        let directory = try TemporaryDirectory()
        try await makeTable(directory)
        let path = try #require(try tablePaths(directory).first)
        var table = try #require(TableFile(try Data(contentsOf: URL(fileURLWithPath: path))))
        let block = table.blocks[0]
        table.replace(block.upperBound - 8..<block.upperBound - 4, by: [0xF0, 0xFF, 0xFF, 0xFF], in: block)
        try Data(table.bytes).write(to: URL(fileURLWithPath: path))
        #expect(try await !readsAll(directory))
    }

    /// A row that lies where it does not belong would be lost for good when tables are sorted together.
    @Test func rowsOutOfOrderAreNotSortedIntoOtherTables() async throws {
        let directory = try TemporaryDirectory()
        // The third lies above the others, and is sorted first.
        for _ in 0..<3 { try await makeTable(directory) }
        let path = try #require(try tablePaths(directory).last)
        var table = try #require(TableFile(try Data(contentsOf: URL(fileURLWithPath: path))))
        // Row 0 becomes 4, and stands before 3.
        let last = try lastByteOfFirstKey(in: table)
        table.replace(last..<last + 1, by: [4], in: table.blocks[0])
        try Data(table.bytes).write(to: URL(fileURLWithPath: path))
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        let store = try LevelDBStore(directory: directory.path, options: options)
        let refused = await #expect(throws: StoreError.self) {
            for round in 0..<2_000 {
                try await store.write(home) { $0.set(key(round % 300, kinds: 3), value(20_000, round)) }
            }
        }
        #expect(refused?.code == .corrupted)
        await store.close()
    }

    /// Whoever reads backwards meets the row instead of one that belongs there.
    @Test func aRowOutsideOfARangeIsNotHandedOut() async throws {
        let directory = try TemporaryDirectory()
        try await makeTable(directory)
        let path = try #require(try tablePaths(directory).first)
        var table = try #require(TableFile(try Data(contentsOf: URL(fileURLWithPath: path))))
        // Behind row 0, which has no value, row 3 tells the last byte of its key, and eight bytes that are not of ours.
        let last = try lastByteOfFirstKey(in: table) + 8 + 4
        #expect(Array(table.bytes[last - 3...last]) == [4, 9, 3, 3])
        table.replace(last..<last + 1, by: [0xFF], in: table.blocks[0])
        try Data(table.bytes).write(to: URL(fileURLWithPath: path))
        let store = try LevelDBStore(directory: directory.path)
        let range = KeyRange(lower: key(0, kinds: 3), upper: key(90, kinds: 3))
        let refused = await #expect(throws: StoreError.self) {
            try await store.read(home) { _ = try $0.entries(in: range, limit: .max, reverse: true) }
        }
        #expect(refused?.code == .corrupted)
        await store.close()
    }

    @Test func wrongContentsAreRefusedOrRead() async throws {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        try await makeTable(directory)
        let path = try #require(try tablePaths(directory).first)
        let whole = try #require(TableFile(try Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(whole.blocks.count > 10)
        var refused = 0
        for round in 0..<400 {
            var table = whole
            // Filter, names and index in every other round: they are few.
            let some = round % 2 == 0 ? table.blocks : table.blocks.suffix(3)
            let block = try #require(some.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: block, using: &random)
                let size = min(Int.random(in: 1...6, using: &random), block.upperBound - place)
                let other = (0..<size).map { _ in
                    Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 0xFF
                }
                table.replace(place..<place + size, by: other, in: block)
            }
            try Data(table.bytes).write(to: URL(fileURLWithPath: path))
            if try await !readsAll(directory) { refused += 1 }
        }
        #expect(refused > 50, "seed \(seed)")
        try Data(whole.bytes).write(to: URL(fileURLWithPath: path))
        #expect(try await readsAll(directory))
    }
}
