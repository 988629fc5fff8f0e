import Foundation
import StratusWorkers
import Testing

@testable import StratusCloudStore

/// Filters of tables tell that a row is not there, of those kinds of which that is asked.
@Suite struct FilterTests {
    private static let filtered: UInt8 = 0x20
    private static let unfiltered: UInt8 = RowKind.readInRanges[0]
    private static let count = 500

    private let home = Partition("home")
    private let directory: TemporaryDirectory
    private let reads = Lock(0)

    init() throws { directory = try TemporaryDirectory() }

    /// Even numbers are there, odd ones are not.
    private func key(_ kind: UInt8, _ number: Int) -> Key { Key([kind, UInt8(number >> 8), UInt8(number & 255)]) }

    private func makeTables(_ options: LevelDBStore.Options) async throws {
        let store = try LevelDBStore(directory: directory.path, options: options)
        try await store.write(home) { transaction in
            for number in stride(from: 0, to: 2 * Self.count, by: 2) {
                for kind in [Self.filtered, Self.unfiltered] {
                    transaction.set(key(kind, number), [UInt8](repeating: 7, count: 200))
                }
            }
        }
        await store.close()
    }

    /// Opens the store again, of which nothing stays in memory but indexes and filters.
    private func reopen() async throws -> LevelDBStore {
        var options = LevelDBStore.Options()
        options.cacheSize = 0
        options.fault = { [self] operation, name in
            if operation == .read, name.hasSuffix(".ldb") { reads.withLock { $0 += 1 } }
            return 0
        }
        let store = try LevelDBStore(directory: directory.path, options: options)
        for kind in [Self.filtered, Self.unfiltered] { _ = try await store.get(key(kind, 0), in: home) }
        return store
    }

    /// Reads of tables that looking for so many rows takes, one after the other.
    private func readsOfAbsent(_ kind: UInt8, in store: LevelDBStore) async throws -> Int {
        let before = reads.withLock { $0 }
        for number in stride(from: 1, to: 2 * Self.count, by: 2) {
            #expect(try await store.get(key(kind, number), in: home) == nil)
        }
        return reads.withLock { $0 } - before
    }

    private func expectAllThatIsThere(in store: LevelDBStore) async throws {
        for kind in [Self.filtered, Self.unfiltered] {
            for number in stride(from: 0, to: 2 * Self.count, by: 2) {
                #expect(try await store.get(key(kind, number), in: home)?.count == 200)
            }
        }
    }

    @Test func onlyRowsThatMayBeAbsentHaveOne() async throws {
        try await makeTables(LevelDBStore.Options())
        let store = try await reopen()
        try await expectAllThatIsThere(in: store)
        // One in a hundred passes a filter for nothing.
        #expect(try await readsOfAbsent(Self.filtered, in: store) < Self.count / 10)
        // The last one lies behind the table's last row.
        #expect(try await readsOfAbsent(Self.unfiltered, in: store) >= Self.count - 1)
        await store.close()
    }

    /// Opening may already make a table, of what is in the log: an earlier version must not open it afterwards, whatever
    /// happens then.
    @Test func theFormatIsNotedBeforeTheFirstTable() async throws {
        var former = LevelDBStore.Options()
        former.unfilteredKinds = []
        former.migrations = Array(LevelDBMigration.all.prefix(2))
        let running = try LevelDBStore(directory: directory.path, options: former)
        try await running.set(key(Self.unfiltered, 1), [1], in: home)
        // As after a crash: with a log.
        let crashed = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: directory.file("stratus.leveldb"), toPath: crashed.file("stratus.leveldb"))
        await running.close()
        var options = LevelDBStore.Options()
        options.fault = { operation, name in operation == .create && name.hasSuffix(".ldb") ? EIO : 0 }
        #expect(throws: StoreError.self) { try LevelDBStore(directory: crashed.path, options: options) }
        let format = crashed.file("stratus.leveldb/FORMAT")
        #expect(try String(contentsOfFile: format, encoding: .utf8) == "stratus leveldb 3\n")
        let again = try LevelDBStore(directory: crashed.path)
        #expect(try await again.get(key(Self.unfiltered, 1), in: home) == [1])
        await again.close()
    }

    /// Tables of earlier versions have filters of all rows; their directory gets the present format with the first start.
    @Test func tablesOfEarlierVersionsAreRead() async throws {
        var former = LevelDBStore.Options()
        former.unfilteredKinds = []
        former.migrations = Array(LevelDBMigration.all.prefix(2))
        try await makeTables(former)
        let format = directory.file("stratus.leveldb/FORMAT")
        #expect(try String(contentsOfFile: format, encoding: .utf8) == "stratus leveldb 2\n")
        let store = try await reopen()
        #expect(try String(contentsOfFile: format, encoding: .utf8) == "stratus leveldb 3\n")
        try await expectAllThatIsThere(in: store)
        #expect(try await readsOfAbsent(Self.filtered, in: store) < Self.count / 10)
        await store.close()
        // An earlier version would take rows without a filter for absent.
        let refused = #expect(throws: StoreError.self) { try LevelDBStore(directory: directory.path, options: former) }
        #expect(refused?.code == .newerFormat)
    }
}
