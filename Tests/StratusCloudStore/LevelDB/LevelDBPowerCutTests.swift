import Foundation
import StratusSeeds
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusCloudStore

/// A machine that loses power while the log is written. Of the write under way any sectors may have reached the disk, in
/// any order, over zeros that were there before.
@Suite struct LevelDBPowerCutTests {
    private static let sectorSize = 512
    private static let valueCount = 20

    private let home = Partition("home")

    /// A log as it was before and after its last write.
    private struct Log {
        /// Of the database's directory, the log left out.
        var files: [String: Data] = [:]
        var name = ""
        var before = Data()
        var after = Data()
        /// The first byte of the last write, and the one behind it.
        var lastWrite = 0..<0
    }

    private func folder(_ directory: TemporaryDirectory) -> String { directory.file("stratus.leveldb") }

    private func files(_ directory: TemporaryDirectory) throws -> [String: Data] {
        let path = folder(directory)
        return try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) { result, name in
            result[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
    }

    /// The number of the write, as often as it has values.
    private func write(_ number: Int, valueSize: Int, to store: LevelDBStore) async throws {
        try await store.write(home) { transaction in
            for index in 0..<Self.valueCount {
                transaction.set(Key([UInt8(number), UInt8(index)]), value(valueSize, number))
            }
        }
    }

    private func log(writes: Int, lastValueSize: Int) async throws -> Log {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        for number in 0..<writes - 1 { try await write(number, valueSize: 300, to: store) }
        var log = Log()
        let before = try files(directory)
        log.name = try #require(before.keys.first { $0.hasSuffix(".log") })
        log.before = try #require(before[log.name])
        try await write(writes - 1, valueSize: lastValueSize, to: store)
        log.files = try files(directory)
        log.after = try #require(log.files[log.name])
        log.files[log.name] = nil
        log.lastWrite = log.before.withoutZerosAhead.count..<log.after.withoutZerosAhead.count
        await store.close()
        return log
    }

    /// The numbers of the writes that are there when the store is opened over `bytes`.
    private func writes(in bytes: Data, of log: Log) async throws -> [Int] {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder(directory), withIntermediateDirectories: true)
        for (name, data) in log.files { try data.write(to: URL(fileURLWithPath: folder(directory) + "/" + name)) }
        try bytes.write(to: URL(fileURLWithPath: folder(directory) + "/" + log.name))
        let store = try LevelDBStore(directory: directory.path)
        let keys = try await store.all(in: home).map(\.key.bytes)
        // It can be gone on with.
        try await store.set(Key("next"), [1], in: home)
        await store.close()
        let numbers = Dictionary(grouping: keys) { Int($0[0]) }
        for (number, keys) in numbers { #expect(keys.count == Self.valueCount, "write \(number) is torn") }
        return numbers.keys.sorted()
    }

    /// `bytes` with the sectors from `start` on that `isLost` names as they were in `before`.
    private func losing(_ before: Data, from start: Int, _ bytes: Data, _ isLost: (Int) -> Bool) -> Data {
        var result = bytes
        var place = start / Self.sectorSize * Self.sectorSize
        while place < bytes.count {
            let next = place + Self.sectorSize
            // Asked once for each sector: one that is lost is lost as a whole.
            if isLost(place) {
                for index in place..<min(next, bytes.count) { result[index] = index < before.count ? before[index] : 0 }
            }
            place = next
        }
        return result
    }

    /// One piece, two and many.
    @Test(arguments: [100, 1_000, 6_000])
    func aTornWriteIsCutOffWhateverOfItIsThere(valueSize: Int) async throws {
        let seed = Seed.draw()
        print("power cut seed \(seed)")
        var random = SeededRandom(seed: seed)
        let log = try await log(writes: 12, lastValueSize: valueSize)
        let after = log.after.prefix(log.lastWrite.upperBound)
        try #require(log.lastWrite.count > Self.valueCount * valueSize)
        for round in 0..<60 {
            let chance = Double(round % 6) / 5
            var isTorn = false
            var torn = losing(log.before, from: log.lastWrite.lowerBound, after) { place in
                let isLost = Double.random(in: 0..<1, using: &random) < chance
                let range = max(place, log.lastWrite.lowerBound)..<min(place + Self.sectorSize, after.count)
                isTorn = isTorn || isLost && range.contains { after[$0] != 0 }
                return isLost
            }
            // The file may have its new size, or the zeros ahead, all the same.
            if round % 2 == 0 { torn.append(Data(count: log.after.count - torn.count)) }
            let found = try await writes(in: torn, of: log)
            #expect(found == Array(0..<(isTorn ? 11 : 12)), "seed \(seed), round \(round)")
        }
    }

    /// Zeros are the log's end only if no write begins behind them.
    @Test func aLostSectorOfAnAcknowledgedWriteIsDamage() async throws {
        let log = try await log(writes: 12, lastValueSize: 3_000)
        let after = log.after.prefix(log.lastWrite.upperBound)
        for place in stride(from: 0, to: log.lastWrite.lowerBound - Self.sectorSize, by: 3 * Self.sectorSize) {
            let damaged = losing(Data(), from: 0, after) { $0 == place }
            let error = await #expect(throws: StoreError.self, "at \(place)") {
                _ = try await writes(in: damaged, of: log)
            }
            #expect(error?.code == .corrupted, "at \(place)")
        }
    }

    /// Writes that are made while another is synced go to the disk in one piece, and none of them is acknowledged before
    /// all are there. The one before them is not known to be there, either, when they are made.
    @Test func ofAPieceOfSeveralWritesAnythingMayBeThere() async throws {
        let seed = Seed.draw()
        print("power cut seed \(seed)")
        var random = SeededRandom(seed: seed)
        let (log, lastIsDurable) = try await logOfOnePiece()
        let written = log.lastWrite
        for round in 0..<60 {
            let torn = losing(log.before, from: written.lowerBound, log.after.prefix(written.upperBound)) { _ in
                Double.random(in: 0..<1, using: &random) < Double(round % 6) / 5
            }
            let found = try await writes(in: torn, of: log)
            #expect(found.count >= 4 && found == Array(0..<found.count), "seed \(seed), round \(round)")
        }
        // The next write says that they were there.
        let place = (written.lowerBound / Self.sectorSize + 2) * Self.sectorSize
        let damaged = losing(Data(), from: 0, lastIsDurable) { $0 == place }
        let error = await #expect(throws: StoreError.self) { _ = try await writes(in: damaged, of: log) }
        #expect(error?.code == .corrupted)
    }

    /// Four writes, one by one; the fifth and those that are made during its sync; and the log with one more.
    private func logOfOnePiece() async throws -> (Log, oneMore: Data) {
        let directory = try TemporaryDirectory()
        let disk = Disk()
        var options = LevelDBStore.Options()
        options.fault = disk.fault
        let store = try LevelDBStore(directory: directory.path, options: options)
        for number in 0..<4 { try await write(number, valueSize: 300, to: store) }
        var log = Log()
        let before = try files(directory)
        log.name = try #require(before.keys.first { $0.hasSuffix(".log") })
        log.before = try #require(before[log.name])
        disk.stop()
        let ran = Lock(0)
        var tasks: [Task<Void, any Error>] = []
        for number in 4..<10 {
            tasks.append(
                Task {
                    try await store.write(home) { transaction in
                        for index in 0..<Self.valueCount {
                            transaction.set(Key([UInt8(number), UInt8(index)]), value(300, number))
                        }
                        ran.withLock { $0 += 1 }
                    }
                })
            // Each is handed over before the next one runs.
            try await wait(for: "write \(number)") { ran.withLock { $0 } == number - 3 }
            if number == 4 { try await disk.waitUntilReached() }
        }
        // The last one was appended, too, before anything is known to be on disk.
        try await wait(for: "the last write") { store.committer.waitingOperations >= 6 * Self.valueCount }
        let commits = store.statistics().commits
        disk.goOn()
        for task in tasks { try await task.value }
        #expect(store.statistics().commits <= commits + 2)
        log.files = try files(directory)
        log.after = try #require(log.files[log.name])
        log.files[log.name] = nil
        log.lastWrite = log.before.withoutZerosAhead.count..<log.after.withoutZerosAhead.count
        try await write(10, valueSize: 300, to: store)
        let oneMore = try #require(try files(directory)[log.name]).withoutZerosAhead
        await store.close()
        return (log, oneMore)
    }

    /// There are zeros behind the first small write, and the next ones take their place.
    @Test func smallWritesDoNotMakeTheLogGrow() async throws {
        let log = try await log(writes: 12, lastValueSize: 300)
        #expect(log.before.count == log.after.count)
        #expect(log.before.count > 1_048_576)
        #expect(log.lastWrite.upperBound < 100_000)
        #expect(try await writes(in: log.after, of: log) == Array(0..<12))
    }

    @Test(arguments: [0, 3]) func withoutRoomForZerosTheLogGrows(extensions: Int) async throws {
        let directory = try TemporaryDirectory()
        let left = Lock(extensions)
        var options = LevelDBStore.Options()
        options.fault = { operation, _ in
            guard operation == .extend else { return 0 }
            return left.withLock { left in
                left -= 1
                return left < 0 ? ENOSPC : 0
            }
        }
        let store = try LevelDBStore(directory: directory.path, options: options)
        for number in 0..<5 { try await write(number, valueSize: 300, to: store) }
        let log = try #require(try files(directory).first { $0.key.hasSuffix(".log") })
        #expect(log.value == log.value.withoutZerosAhead)
        #expect(try await store.all(in: home).count == 5 * Self.valueCount)
        await store.close()
    }
}

extension Data {
    /// A log's writes: without what lies behind them for the next ones.
    var withoutZerosAhead: Data {
        withUnsafeBytes { bytes in
            var end = bytes.count
            while end > 0, bytes[end - 1] == 0 { end -= 1 }
            return Data(bytes[..<end])
        }
    }
}
