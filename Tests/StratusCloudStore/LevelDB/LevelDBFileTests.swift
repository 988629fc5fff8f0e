import Foundation
import Testing

@testable import StratusCloudStore

/// Opening, formats and locks.
@Suite struct LevelDBFileTests {
    private let home = Partition("home")

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? StoreError)?.code }
    }

    @Test func everythingIsThereAfterReopening() async throws {
        let directory = try TemporaryDirectory()
        for round in 0..<5 {
            let store = try LevelDBStore(directory: directory.path)
            for earlier in 0..<round {
                let partition = Partition("p\(earlier % 2)")
                #expect(try await store.get(Key("k\(earlier)"), in: partition) == value(earlier * 80))
            }
            try await store.set(Key("k\(round)"), value(round * 80), in: Partition("p\(round % 2)"))
            await store.close()
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(Set(left) == ["stratus.leveldb", "stratus.lock"])
    }

    @Test func closingLeavesNoLogToReplay() async throws {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        try await store.set(Key("a"), value(5_000), in: home)
        #expect(store.statistics().fileSizes["log"] ?? 0 > 5_000)
        await store.close()
        #expect(store.statistics().fileSizes["log"] == 0)
        #expect(store.statistics().fileSizes["tables"] ?? 0 > 5_000)
    }

    @Test func aSecondStoreIsRefusedUntilTheFirstIsClosed() async throws {
        let directory = try TemporaryDirectory()
        let first = try LevelDBStore(directory: directory.path)
        let error = #expect(throws: StoreError.self) { try LevelDBStore(directory: directory.path) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("process \(getpid())") == true)
        await first.close()
        let second = try LevelDBStore(directory: directory.path)
        await second.close()
    }

    @Test func writesThatWaitShareACommit() async throws {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<64 {
                group.addTask {
                    for round in 0..<20 {
                        try await store.set(Key("\(caller)-\(round)"), value(40), in: Partition("p"))
                    }
                }
            }
            try await group.waitForAll()
        }
        let statistics = store.statistics()
        #expect(statistics.writeTransactions == 64 * 20)
        #expect(statistics.commits < statistics.writeTransactions)
        await store.close()
    }

    @Test func aDirectoryThatCannotBeWrittenIsReported() async throws {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        await store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.path)
        #expect(try asOrdinaryUser { code { _ = try LevelDBStore(directory: directory.path) } } == .readOnly)
    }

    @Test func aNewerFormatIsRefusedAndLeftAlone() async throws {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        try await store.set(Key("a"), [1], in: home)
        await store.close()
        try "stratus leveldb 7\n".write(
            toFile: directory.file("stratus.leveldb/FORMAT"), atomically: false, encoding: .utf8)
        let before = try contents(directory)
        let error = #expect(throws: StoreError.self) { try LevelDBStore(directory: directory.path) }
        #expect(error?.code == .newerFormat)
        #expect(error?.message.contains("format 7") == true)
        #expect(try contents(directory) == before)
    }

    @Test(arguments: ["FORMAT", "CURRENT", "MANIFEST"]) func aMissingFileIsNotTakenForANewStore(name: String)
        async throws
    {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        try await store.set(Key("a"), [1], in: home)
        await store.close()
        let path = directory.file("stratus.leveldb")
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasPrefix(name) })
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "/" + file))
        try FileManager.default.removeItem(atPath: path + "/" + file)
        let before = try contents(directory)
        #expect(code { _ = try LevelDBStore(directory: directory.path) } == .corrupted)
        #expect(try contents(directory) == before)
        try whole.write(to: URL(fileURLWithPath: path + "/" + file))
        let repaired = try LevelDBStore(directory: directory.path)
        #expect(try await repaired.get(Key("a"), in: home) == [1])
        await repaired.close()
    }

    @Test func aMissingTableIsFoundWhenOpening() async throws {
        let directory = try TemporaryDirectory()
        let store = try LevelDBStore(directory: directory.path)
        try await store.set(Key("a"), [1], in: home)
        await store.close()
        let path = directory.file("stratus.leveldb")
        for file in try FileManager.default.contentsOfDirectory(atPath: path) where file.hasSuffix(".ldb") {
            try FileManager.default.removeItem(atPath: path + "/" + file)
        }
        #expect(code { _ = try LevelDBStore(directory: directory.path) } == .corrupted)
    }

    @Test func aMigrationRunsOnceAndOlderVersionsAreRefused() async throws {
        let directory = try TemporaryDirectory()
        let old = try LevelDBStore(directory: directory.path)
        try await old.set(Key("a"), [1], in: home)
        await old.close()
        var options = LevelDBStore.Options()
        options.migrations.append(
            LevelDBMigration(format: 4) { (database) throws(StoreError) in
                let batch = WriteBatch()
                batch.set([0], Array("second".utf8), [2])
                try database.append(batch)
                try database.sync()
            })
        for _ in 0..<2 {
            let new = try LevelDBStore(directory: directory.path, options: options)
            #expect(try await new.get(Key("a"), in: home) == [1])
            await new.close()
        }
        #expect(code { _ = try LevelDBStore(directory: directory.path) } == .newerFormat)
    }

    @Test func aMigrationThatFailsLeavesTheOldFormat() async throws {
        let directory = try TemporaryDirectory()
        let old = try LevelDBStore(directory: directory.path)
        try await old.set(Key("a"), [1], in: home)
        await old.close()
        var options = LevelDBStore.Options()
        options.migrations.append(
            LevelDBMigration(format: 4) { (_) throws(StoreError) in throw StoreError(.diskFull, "no room") })
        #expect(code { _ = try LevelDBStore(directory: directory.path, options: options) } == .diskFull)
        let store = try LevelDBStore(directory: directory.path)
        #expect(try await store.get(Key("a"), in: home) == [1])
        await store.close()
    }

    @Test(arguments: StoreEngine.allCases) func dataKeepsItsEngine(engine: StoreEngine) async throws {
        let directory = try TemporaryDirectory()
        #expect(StoreEngine.existing(in: directory.path) == nil)
        let first = try StoreEngine.open(directory: directory.path, otherwise: engine)
        try await first.set(Key("a"), [1], in: home)
        await first.close()
        #expect(StoreEngine.existing(in: directory.path) == engine)
        for other in StoreEngine.allCases where other != engine {
            #expect(code { _ = try StoreEngine.open(directory: directory.path, required: other) } == .otherEngine)
        }
        let again = try StoreEngine.open(directory: directory.path)
        #expect(try await again.get(Key("a"), in: home) == [1])
        await again.close()
    }

    private func contents(_ directory: TemporaryDirectory) throws -> [String: Data] {
        let path = directory.file("stratus.leveldb")
        return try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) { result, name in
            result[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
    }
}
