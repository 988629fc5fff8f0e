import Foundation
import StratusSeeds
import Testing

@testable import StratusCloudStore

/// Damage to a closed file is reported, or lies where nobody looks: what is read is never wrong.
@Suite struct CorruptionTests {
    private let partitions = (0..<3).map { Partition("p\($0)") }
    private let largeFill: UInt8 = 0xAB

    /// A file with small and fat values, overflow pages, and pages that became free.
    private func makeFile(_ directory: TemporaryDirectory) async throws -> [Partition: [StoreEntry]] {
        let store = try SQLiteStore(directory: directory.path)
        var contents: [Partition: [StoreEntry]] = [:]
        for (number, partition) in partitions.enumerated() {
            try await store.write(partition) { transaction in
                for index in 0..<400 {
                    let key = Key("\(index &* 7_919 % 400)")
                    transaction.set(key, value([0, 30, 300, 900][index % 4], index + number))
                }
                transaction.set(Key("large"), [UInt8](repeating: largeFill + UInt8(number), count: 30_000))
            }
            try await store.write(partition) { $0.clear(KeyRange("1", "2")) }
            contents[partition] = try await store.all(in: partition)
        }
        await store.close()
        return contents
    }

    /// Opens a file and compares everything; false if an error was reported.
    private func isIntact(_ directory: TemporaryDirectory, _ contents: [Partition: [StoreEntry]]) async throws -> Bool {
        do {
            let store = try SQLiteStore(directory: directory.path)
            do {
                for partition in partitions {
                    let found = try await store.all(in: partition)
                    try #require(found == contents[partition])
                }
            } catch let error as StoreError {
                await store.close()
                throw error
            }
            await store.close()
            return true
        } catch let error as StoreError {
            // The number of the format may be hit as well.
            #expect(error.code == .corrupted || error.code == .newerFormat, "\(error)")
            return false
        }
    }

    @Test func flippedBytesAreNeverServed() async throws {
        let seed = Seed.draw()
        print("corruption seed \(seed)")
        var random = SeededRandom(seed: seed)
        let original = try TemporaryDirectory()
        let contents = try await makeFile(original)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.file("stratus.db")))
        let damaged = try TemporaryDirectory()
        var reported = 0
        for round in 0..<400 {
            var copy = bytes
            // The first rounds go through the header, where there is most to go wrong.
            for flip in 0..<(round < 100 ? 1 : Int.random(in: 1...4, using: &random)) {
                let offset = round < 100 && flip == 0 ? round : Int.random(in: 0..<copy.count, using: &random)
                copy[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            try copy.write(to: URL(fileURLWithPath: damaged.file("stratus.db")))
            if try await !isIntact(damaged, contents) { reported += 1 }
        }
        #expect(reported > 200, "seed \(seed)")
    }

    @Test func aTruncatedFileIsNeverServed() async throws {
        let original = try TemporaryDirectory()
        let contents = try await makeFile(original)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.file("stratus.db")))
        let damaged = try TemporaryDirectory()
        for count in [1, 99, 100, 4_095, 4_096, 8_192, bytes.count / 2, bytes.count - 4_096, bytes.count - 1] {
            try bytes.prefix(count).write(to: URL(fileURLWithPath: damaged.file("stratus.db")))
            #expect(try await !isIntact(damaged, contents), "\(count) bytes")
        }
    }

    @Test func aPageInAnothersPlaceIsFound() async throws {
        let original = try TemporaryDirectory()
        let contents = try await makeFile(original)
        let path = URL(fileURLWithPath: original.file("stratus.db"))
        var bytes = try Data(contentsOf: path)
        let size = PageChecksum.pageSize
        let (third, fourth) = (bytes[2 * size..<3 * size], bytes[3 * size..<4 * size])
        bytes.replaceSubrange(2 * size..<4 * size, with: fourth + third)
        try bytes.write(to: path)
        #expect(try await !isIntact(original, contents))
    }

    @Test func afterDamageNothingIsWritten() async throws {
        let directory = try TemporaryDirectory()
        _ = try await makeFile(directory)
        let path = URL(fileURLWithPath: directory.file("stratus.db"))
        var bytes = try Data(contentsOf: path)
        // Pages in the middle of the large values, which opening does not read.
        var hits = 0
        for middle in stride(from: PageChecksum.pageSize / 2, to: bytes.count, by: PageChecksum.pageSize)
        where bytes[middle] >= largeFill && bytes[middle..<middle + 100].allSatisfy({ $0 == bytes[middle] }) {
            bytes[middle] ^= 0x10
            hits += 1
        }
        try #require(hits >= partitions.count)
        try bytes.write(to: path)
        let store = try SQLiteStore(directory: directory.path)
        for partition in partitions {
            await #expect(throws: StoreError.self) { try await store.all(in: partition) }
        }
        let error = await #expect(throws: StoreError.self) { try await store.set(Key("new"), [1], in: Partition("p0")) }
        #expect(error?.code == .corrupted)
        await store.close()
        #expect(try Data(contentsOf: path) == bytes)
    }

    /// A process that was killed leaves a log. Cut off anywhere, it gives what was committed before; damaged in the
    /// middle, it must not pass for one that was cut off.
    @Test func aDamagedLogIsTornOnlyAtItsEnd() async throws {
        let seed = Seed.draw()
        print("log seed \(seed)")
        var random = SeededRandom(seed: seed)
        let commits = 40
        let (running, killed) = (try TemporaryDirectory(), try TemporaryDirectory())
        let store = try SQLiteStore(directory: running.path)
        for number in 0..<commits { try await store.set(Key([UInt8(number)]), value(300, number), in: partitions[0]) }
        let file = try Data(contentsOf: URL(fileURLWithPath: running.file("stratus.db")))
        let log = try Data(contentsOf: URL(fileURLWithPath: running.file("stratus.db-wal")))
        await store.close()

        for round in 0..<60 {
            var damaged = log
            let offset = Int.random(in: 0..<log.count, using: &random)
            if round < 20 { damaged = log.prefix(offset) } else { damaged[offset] ^= 4 }
            try file.write(to: URL(fileURLWithPath: killed.file("stratus.db")))
            try damaged.write(to: URL(fileURLWithPath: killed.file("stratus.db-wal")))
            try? FileManager.default.removeItem(atPath: killed.file("stratus.db-shm"))
            do {
                let reopened = try SQLiteStore(directory: killed.path)
                let found = try await reopened.all(in: partitions[0])
                for (number, entry) in found.enumerated() {
                    #expect(entry == StoreEntry(key: Key([UInt8(number)]), value: value(300, number)))
                }
                if round >= 20 { #expect(found.count >= commits - 2, "seed \(seed), offset \(offset) of \(log.count)") }
                await reopened.close()
            } catch let error as StoreError {
                #expect(error.code == .corrupted)
                #expect(round >= 20, "seed \(seed): cut at \(offset) of \(log.count): \(error)")
            }
        }
    }
}
