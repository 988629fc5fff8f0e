import Foundation
import StratusSeeds
import Testing

@testable import StratusCloudStore

/// Damage to closed files is reported, or lies where nobody looks: what is read is never wrong.
@Suite struct LevelDBCorruptionTests {
    private let partitions = (0..<3).map { Partition("p\($0)") }
    private let folder = "stratus.leveldb"

    /// Files with small and large values in several tables.
    private func makeFiles(_ directory: TemporaryDirectory) async throws -> [Partition: [StoreEntry]] {
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        let store = try LevelDBStore(directory: directory.path, options: options)
        var contents: [Partition: [StoreEntry]] = [:]
        for (number, partition) in partitions.enumerated() {
            try await store.write(partition) { transaction in
                for index in 0..<400 {
                    let key = Key("\(index &* 7_919 % 400)")
                    transaction.set(key, value([0, 30, 300, 900][index % 4], index + number))
                }
                transaction.set(Key("large"), value(30_000, number))
            }
            try await store.write(partition) { $0.clear(KeyRange("1", "2")) }
            contents[partition] = try await store.all(in: partition)
        }
        await store.close()
        return contents
    }

    private func read(_ directory: TemporaryDirectory) throws -> [String: Data] {
        let path = directory.file(folder)
        return try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) { result, name in
            result[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
    }

    private func write(_ files: [String: Data], to directory: TemporaryDirectory) throws {
        let path = directory.file(folder)
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: path + "/" + name)) }
    }

    /// Opens the store and compares everything; false if an error was reported.
    private func isIntact(
        _ directory: TemporaryDirectory, _ contents: [Partition: [StoreEntry]], _ what: String
    ) async throws -> Bool {
        do {
            let store = try LevelDBStore(directory: directory.path)
            do {
                for partition in partitions {
                    let found = try await store.all(in: partition)
                    try #require(found == contents[partition], "\(what)")
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
        let (original, damaged) = (try TemporaryDirectory(), try TemporaryDirectory())
        let contents = try await makeFiles(original)
        let files = try read(original)
        let names = files.keys.filter { !(files[$0] ?? Data()).isEmpty }.sorted()
        var reported = 0
        for round in 0..<300 {
            var copy = files
            // Each file in turn, because the small ones would hardly ever be hit.
            let name = names[round % names.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Int.random(in: 0..<(copy[name]?.count ?? 1), using: &random)
                copy[name]?[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            try write(copy, to: damaged)
            if try await !isIntact(damaged, contents, "seed \(seed): \(name)") { reported += 1 }
        }
        #expect(reported > 200, "seed \(seed)")
    }

    @Test func cutTablesAreNeverServed() async throws {
        let (original, damaged) = (try TemporaryDirectory(), try TemporaryDirectory())
        let contents = try await makeFiles(original)
        let files = try read(original)
        for (name, data) in files where name.hasSuffix(".ldb") {
            for count in [0, 1, 47, 48, data.count / 2, data.count - 1] {
                var copy = files
                copy[name] = data.prefix(count)
                try write(copy, to: damaged)
                #expect(try await !isIntact(damaged, contents, name), "\(name), \(count) bytes")
            }
        }
    }

    @Test func afterDamageNothingIsWritten() async throws {
        let (original, damaged) = (try TemporaryDirectory(), try TemporaryDirectory())
        _ = try await makeFiles(original)
        var files = try read(original)
        for name in files.keys where name.hasSuffix(".ldb") {
            // Beyond the first block, before index and filter.
            if let count = files[name]?.count { files[name]?[count / 2] ^= 0x10 }
        }
        try write(files, to: damaged)
        let store = try LevelDBStore(directory: damaged.path)
        var failures = 0
        for partition in partitions {
            do { _ = try await store.all(in: partition) } catch { failures += 1 }
        }
        try #require(failures > 0)
        let error = await #expect(throws: StoreError.self) { try await store.set(Key("new"), [1], in: partitions[0]) }
        #expect(error?.code == .corrupted)
        await store.close()
    }

    /// A process that was killed leaves a log. Cut off anywhere, it gives what was committed before; damaged in the
    /// middle, it must not pass for one that was cut off.
    @Test func aDamagedLogIsTornOnlyAtItsEnd() async throws {
        let seed = Seed.draw()
        print("log seed \(seed)")
        var random = SeededRandom(seed: seed)
        let commits = 250
        let (running, killed) = (try TemporaryDirectory(), try TemporaryDirectory())
        let store = try LevelDBStore(directory: running.path)
        for number in 0..<commits { try await store.set(Key([UInt8(number)]), value(300, number), in: partitions[0]) }
        let files = try read(running)
        await store.close()
        let name = try #require(files.keys.first { $0.hasSuffix(".log") })
        let log = try #require(files[name]).withoutZerosAhead
        // Several blocks.
        try #require(log.count > 2 * 32_768)

        for round in 0..<60 {
            var copy = files
            let offset = Int.random(in: 0..<log.count, using: &random)
            copy[name] = log
            if round < 20 { copy[name] = log.prefix(offset) } else { copy[name]?[offset] ^= 4 }
            // What a file system may leave behind the last write that it kept.
            if round % 4 == 0 { copy[name]?.append(Data(count: 10_000)) }
            try write(copy, to: killed)
            do {
                let reopened = try LevelDBStore(directory: killed.path)
                let found = try await reopened.all(in: partitions[0])
                for (number, entry) in found.enumerated() {
                    #expect(entry == StoreEntry(key: Key([UInt8(number)]), value: value(300, number)))
                }
                if round >= 20 { #expect(found.count >= commits - 1, "seed \(seed), offset \(offset) of \(log.count)") }
                try await reopened.set(Key([255]), [1], in: partitions[0])
                await reopened.close()
                let again = try LevelDBStore(directory: killed.path)
                #expect(try await again.all(in: partitions[0]).count == found.count + 1)
                await again.close()
            } catch let error as StoreError {
                #expect(error.code == .corrupted)
                #expect(round >= 20, "seed \(seed): cut at \(offset) of \(log.count): \(error)")
            }
        }
    }

    @Test func verifyingFindsDamageThatNobodyReads() async throws {
        let (original, damaged) = (try TemporaryDirectory(), try TemporaryDirectory())
        _ = try await makeFiles(original)
        var files = try read(original)
        for name in files.keys where name.hasSuffix(".ldb") {
            if let count = files[name]?.count { files[name]?[count / 2] ^= 0x10 }
        }
        try write(files, to: damaged)
        let store = try LevelDBStore(directory: damaged.path)
        let error = await #expect(throws: StoreError.self) { try await store.verify() }
        #expect(error?.code == .corrupted)
        await store.close()
    }
}
