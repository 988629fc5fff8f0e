import Foundation
import StratusWorkers
import Testing

@testable import StratusCloudStore

/// A disk that is full or fails.
@Suite struct LevelDBFaultTests {
    private let home = Partition("home")

    /// The next faults: how many operations of a kind on files with an ending go well, and the error of those after.
    private struct Plan {
        var operation = LevelDBOperation.append
        var ending = ".log"
        var before = 0
        var error: Int32 = 0
    }

    private func store(_ directory: TemporaryDirectory, _ plan: Lock<Plan>) throws -> LevelDBStore {
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        options.fault = { operation, name in
            plan.withLock { plan in
                guard plan.error != 0, operation == plan.operation, name.hasSuffix(plan.ending) else { return 0 }
                plan.before -= 1
                return plan.before < 0 ? plan.error : 0
            }
        }
        return try LevelDBStore(directory: directory.path, options: options)
    }

    private func expectFailure(_ code: StoreError.Code, _ body: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test(arguments: [ENOSPC, EDQUOT]) func aFullDiskRefusesAndTheStoreGoesOnWhenThereIsRoom(error: Int32) async throws
    {
        let directory = try TemporaryDirectory()
        let plan = Lock(Plan())
        let store = try store(directory, plan)
        try await store.set(Key("a"), value(500), in: home)
        plan.withLock { $0.error = error }
        for _ in 0..<3 {
            await expectFailure(.diskFull) {
                try await store.write(home) { transaction in
                    transaction.clear(Key("a"))
                    for index in 0..<40 { transaction.set(Key("k\(index)"), value(600)) }
                }
            }
            #expect(try await store.all(in: home).map(\.key) == [Key("a")])
        }
        plan.withLock { $0.error = 0 }
        try await store.set(Key("b"), value(500), in: home)
        await store.close()
        let reopened = try LevelDBStore(directory: directory.path)
        #expect(try await reopened.all(in: home).map(\.key) == [Key("a"), Key("b")])
        try await reopened.verify()
        await reopened.close()
    }

    /// Tables are written beside the writer, which learns of the failure with a later write.
    @Test func aDiskThatIsFullForTablesLosesNothing() async throws {
        let directory = try TemporaryDirectory()
        let plan = Lock(Plan())
        let store = try store(directory, plan)
        plan.withLock { $0 = Plan(operation: .append, ending: ".ldb", before: 2, error: ENOSPC) }
        var acknowledged: [Key] = []
        var failures = 0
        for index in 0..<2_000 {
            let key = Key(String(format: "%05d", index))
            do {
                try await store.set(key, value(700, index), in: home)
                acknowledged.append(key)
            } catch let error as StoreError {
                #expect(error.code == .diskFull, "\(error)")
                failures += 1
                plan.withLock { $0.error = 0 }
            }
        }
        #expect(failures > 0)
        #expect(try await store.all(in: home).map(\.key) == acknowledged)
        await store.close()
        let reopened = try LevelDBStore(directory: directory.path)
        #expect(try await reopened.all(in: home).map(\.key) == acknowledged)
        await reopened.close()
    }

    @Test func afterAFailedSyncNothingIsAcknowledged() async throws {
        let directory = try TemporaryDirectory()
        let plan = Lock(Plan())
        let store = try store(directory, plan)
        try await store.set(Key("a"), [1], in: home)
        plan.withLock { $0 = Plan(operation: .sync, ending: ".log", before: 0, error: EIO) }
        await expectFailure(.ioFailure) { try await store.set(Key("b"), [2], in: home) }
        plan.withLock { $0.error = 0 }
        await expectFailure(.ioFailure) { try await store.set(Key("c"), [3], in: home) }
        // Reading goes on.
        #expect(try await store.get(Key("a"), in: home) == [1])
        await store.close()
        let reopened = try LevelDBStore(directory: directory.path)
        let keys = try await reopened.all(in: home).map(\.key)
        // The outcome of the one whose sync failed is unknown; the later one was never tried.
        #expect(keys == [Key("a")] || keys == [Key("a"), Key("b")])
        await reopened.close()
    }

    @Test func aTableThatCannotBeReadIsNoMissingKey() async throws {
        let directory = try TemporaryDirectory()
        let plan = Lock(Plan())
        let first = try store(directory, plan)
        try await first.set(Key("a"), [1], in: home)
        await first.close()
        let store = try store(directory, plan)
        plan.withLock { $0 = Plan(operation: .read, ending: ".ldb", before: 0, error: EIO) }
        await expectFailure(.ioFailure) { _ = try await store.get(Key("a"), in: home) }
        await expectFailure(.ioFailure) { _ = try await store.all(in: home) }
        plan.withLock { $0.error = 0 }
        #expect(try await store.get(Key("a"), in: home) == [1])
        await store.close()
    }
}
