import Foundation
import StratusWaiting
import Testing

@testable import StratusCloudStore

/// Opening, formats and locks.
@Suite struct FileTests {
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
            let store = try SQLiteStore(directory: directory.path)
            for earlier in 0..<round {
                let partition = Partition("p\(earlier % 2)")
                #expect(try await store.get(Key("k\(earlier)"), in: partition) == value(earlier * 80))
            }
            try await store.set(Key("k\(round)"), value(round * 80), in: Partition("p\(round % 2)"))
            await store.close()
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(Set(left) == ["stratus.db", "stratus.lock"])
    }

    @Test func writesThatWaitShareACommit() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
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
        #expect(statistics.fileSizes["stratus.db"] ?? 0 > 0)
        await store.close()
    }

    @Test func aSecondStoreIsRefusedUntilTheFirstIsClosed() async throws {
        let directory = try TemporaryDirectory()
        let first = try SQLiteStore(directory: directory.path)
        let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("process \(getpid())") == true)
        await first.close()
        let second = try SQLiteStore(directory: directory.path)
        await second.close()
    }

    @Test func aStoreThatIsDroppedReleasesItsFilesByItself() async throws {
        let directory = try TemporaryDirectory()
        do {
            let store = try SQLiteStore(directory: directory.path)
            try await store.set(Key("a"), [1], in: home)
        }
        // The writer's thread ends on its own; until then the lock refuses.
        var store: SQLiteStore?
        try await wait(for: "the lock") {
            do throws(StoreError) {
                store = try SQLiteStore(directory: directory.path)
            } catch {
                try #require(error.code == .locked)
            }
            return store != nil
        }
        #expect(try await store?.get(Key("a"), in: home) == [1])
        await store?.close()
    }

    @Test func aMissingDirectoryIsReported() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.file("none")) }
        #expect(error?.code == .ioFailure)
        #expect(error?.message.contains("stratus.lock") == true)
    }

    @Test func aDirectoryThatCannotBeWrittenIsReported() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.path)
        #expect(try asOrdinaryUser { code { _ = try SQLiteStore(directory: directory.path) } } == .readOnly)
    }

    @Test func aFileThatCannotBeWrittenIsReported() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        await store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path)
        for (name, mode) in [("stratus.lock", 0o666), ("stratus.db", 0o444)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.file(name))
        }
        #expect(try asOrdinaryUser { code { _ = try SQLiteStore(directory: directory.path) } } == .readOnly)
    }

    @Test func aFileThatIsNoDatabaseIsReportedAndLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let path = URL(fileURLWithPath: directory.file("stratus.db"))
        let text = Data(String(repeating: "no database at all ", count: 1_000).utf8)
        try text.write(to: path)
        #expect(code { _ = try SQLiteStore(directory: directory.path) } == .corrupted)
        #expect(try Data(contentsOf: path) == text)
    }

    @Test func anotherProgramsDatabaseIsReportedAndLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("stratus.db")
        do {
            let foreign = try SQLiteConnection(path: path, fileSystem: "unix")
            try foreign.execute("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('keep me')")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(code { _ = try SQLiteStore(directory: directory.path) } == .corrupted)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func aMigrationRunsOnceAndOlderVersionsAreRefused() async throws {
        let directory = try TemporaryDirectory()
        let old = try SQLiteStore(directory: directory.path)
        try await old.set(Key("a"), [1], in: home)
        await old.close()

        var options = SQLiteStore.Options()
        options.migrations.append(
            Migration(version: 3) { (connection) throws(StoreError) in
                try connection.execute("CREATE TABLE second (id INTEGER PRIMARY KEY)")
            })
        for _ in 0..<2 {
            let new = try SQLiteStore(directory: directory.path, options: options)
            #expect(try await new.get(Key("a"), in: home) == [1])
            await new.close()
        }
        let path = URL(fileURLWithPath: directory.file("stratus.db"))
        let before = try Data(contentsOf: path)
        let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
        #expect(error?.code == .newerFormat)
        #expect(error?.message.contains("format 3") == true)
        #expect(try Data(contentsOf: path) == before)
    }

    @Test func aMigrationThatFailsLeavesTheOldFormat() async throws {
        let directory = try TemporaryDirectory()
        let old = try SQLiteStore(directory: directory.path)
        try await old.set(Key("a"), [1], in: home)
        await old.close()
        var options = SQLiteStore.Options()
        options.migrations.append(
            Migration(version: 3) { (connection) throws(StoreError) in
                try connection.execute("DELETE FROM entry")
                try connection.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY)")
            })
        #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path, options: options) }
        let store = try SQLiteStore(directory: directory.path)
        #expect(try await store.get(Key("a"), in: home) == [1])
        await store.close()
    }
}
