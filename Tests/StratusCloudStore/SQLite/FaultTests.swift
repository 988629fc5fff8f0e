import StratusCSQLite
import Testing

@testable import StratusCloudStore

/// A disk that is full or fails. Serialized: the faults are global.
@Suite(.serialized) struct FaultTests {
    private let home = Partition("home")
    private static let failedSync = SQLITE_IOERR | (4 << 8)

    private func expectFailure(_ code: StoreError.Code, _ body: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test func aFileAtItsQuotaRefusesAndGoesOnWhenThereIsRoom() async throws {
        let directory = try TemporaryDirectory()
        var options = SQLiteStore.Options()
        options.maximumPages = 64
        let store = try SQLiteStore(directory: directory.path, options: options)
        try await store.set(Key("a"), value(50_000), in: home)
        await expectFailure(.diskFull) {
            try await store.write(home) { transaction in
                transaction.clear(Key("a"))
                for index in 0..<300 { transaction.set(Key("k\(index)"), value(2_000)) }
            }
        }
        #expect(try await store.all(in: home) == [StoreEntry(key: Key("a"), value: value(50_000))])
        try await store.set(Key("a"), value(60_000), in: home)
        await expectFailure(.diskFull) { try await store.set(Key("b"), value(300_000), in: Partition("other")) }
        #expect(try await store.all(in: Partition("other")).isEmpty)
        try await store.set(Key("b"), value(3_000), in: Partition("other"))
        await store.close()
        let reopened = try SQLiteStore(directory: directory.path)
        #expect(try await reopened.get(Key("a"), in: home) == value(60_000))
        #expect(try await reopened.get(Key("b"), in: Partition("other")) == value(3_000))
        try await reopened.verify()
        await reopened.close()
    }

    @Test(arguments: 0..<8) func aFullDiskInTheMiddleOfACommitLeavesNothing(writes: Int) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path, options: FaultyFileSystem.options())
        try await store.set(Key("a"), value(500), in: home)
        FaultyFileSystem.faults.withLock {
            $0.logWrite = SQLITE_FULL
            $0.logWritesBefore = writes
        }
        await expectFailure(.diskFull) {
            try await store.write(home) { transaction in
                transaction.clear(Key("a"))
                for index in 0..<40 { transaction.set(Key("k\(index)"), value(600)) }
            }
        }
        #expect(try await store.all(in: home).map(\.key) == [Key("a")])
        try await store.set(Key("b"), value(500), in: home)
        await store.close()
        let reopened = try SQLiteStore(directory: directory.path)
        #expect(try await reopened.all(in: home).map(\.key) == [Key("a"), Key("b")])
        try await reopened.verify()
        await reopened.close()
    }

    @Test func afterAFailedSyncNothingIsAcknowledged() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path, options: FaultyFileSystem.options())
        try await store.set(Key("a"), [1], in: home)
        FaultyFileSystem.faults.withLock { $0.logSync = Self.failedSync }
        await expectFailure(.ioFailure) { try await store.set(Key("b"), [2], in: home) }
        await expectFailure(.ioFailure) { try await store.set(Key("c"), [3], in: home) }
        // Reading goes on.
        #expect(try await store.get(Key("a"), in: home) == [1])
        await store.close()
        let reopened = try SQLiteStore(directory: directory.path)
        let keys = try await reopened.all(in: home).map(\.key)
        // The outcome of the one whose sync failed is unknown; the later one was never tried.
        #expect(keys == [Key("a")] || keys == [Key("a"), Key("b")])
        await reopened.close()
    }

    @Test func everyTransactionOfAGroupThatCannotBeWrittenIsTold() async throws {
        let directory = try TemporaryDirectory()
        var options = SQLiteStore.Options()
        options.maximumPages = 40
        let store = try SQLiteStore(directory: directory.path, options: options)
        let kept = await withTaskGroup(of: Int?.self) { group in
            for caller in 0..<60 {
                group.addTask {
                    do {
                        try await store.set(Key("\(caller)"), value(3_500), in: home)
                        return caller
                    } catch { return nil }
                }
            }
            return await group.reduce(into: Set<Key>()) { if let caller = $1 { $0.insert(Key("\(caller)")) } }
        }
        #expect(kept.count < 60)
        #expect(Set(try await store.all(in: home).map(\.key)) == kept)
        await store.close()
    }
}
