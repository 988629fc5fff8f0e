import Foundation
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusCloudStore

/// Transactions that run while those before them are made durable.
@Suite struct LevelDBPipelineTests {
    private let home = Partition("home")

    @Test func readersSeeWhatIsDurableAndTransactionsWhatHasRun() async throws {
        try await withStore { store, disk in
            try await store.set(Key("n"), [1], in: home)
            disk.stop()
            async let first: Void = store.set(Key("n"), [2], in: home)
            // Left by an error, too: what was begun is awaited then.
            defer { disk.goOn() }
            try await disk.waitUntilReached()
            let seen = Lock<[UInt8]?>(nil)
            async let second: Void = store.write(home) { transaction in
                let value = try transaction.get(Key("n"))
                seen.withLock { $0 = value }
                transaction.set(Key("n"), [3])
            }
            try await wait(for: "the second transaction") { seen.withLock { $0 } != nil }
            #expect(seen.withLock { $0 } == [2])
            #expect(try await store.get(Key("n"), in: home) == [1])
            #expect(try await store.all(in: home).map(\.value) == [[1]])
            disk.goOn()
            try await first
            try await second
            #expect(try await store.get(Key("n"), in: home) == [3])
            // What was answered is on disk, and the next write says so.
            #expect(store.committer.waitingOperations == 0)
        }
    }

    /// Only the end of the newest log may be torn by a power cut.
    @Test func noLogBeginsBeforeTheOneBeforeItIsOnDisk() async throws {
        let directory = try TemporaryDirectory()
        let seen = Lock<[(operation: LevelDBOperation, log: String)]>([])
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        options.fault = { operation, name in
            if name.hasSuffix(".log") { seen.withLock { $0.append((operation, name)) } }
            return 0
        }
        let store = try LevelDBStore(directory: directory.path, options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<16 {
                group.addTask {
                    for round in 0..<40 { try await store.set(Key("\(caller)-\(round)"), value(900), in: home) }
                }
            }
            try await group.waitForAll()
        }
        await store.close()
        var state = (log: "", isOnDisk: true)
        for (operation, log) in seen.withLock({ $0 }) where operation != .read && operation != .extend {
            if operation == .create {
                #expect(state.isOnDisk, "\(log) begins before \(state.log) is on disk")
                state.log = log
            } else {
                #expect(log == state.log)
            }
            state.isOnDisk = operation != .append
        }
        #expect(Set(seen.withLock { $0.map(\.log) }).count > 4)
    }

    /// What ran on top of a write that failed rests on what is not there.
    @Test func afterAFailedWriteAllThatRanSinceIsRefused() async throws {
        try await withStore { store, disk in
            try await store.set(Key("a"), [1], in: home)
            disk.stop()
            let results = try await severalWrites(store, whileStopped: disk) { disk.goOn(failing: ENOSPC) }
            #expect(results == Array(repeating: .diskFull, count: results.count))
            #expect(try await store.all(in: home).map(\.key) == [Key("a")])
            // A partition that was new then has no number from then.
            #expect(try await store.all(in: Partition("new")).isEmpty)
            disk.goOn()
            try await store.set(Key("b"), [2], in: home)
            try await store.set(Key("c"), [3], in: Partition("other"))
            #expect(try await store.all(in: home).map(\.key) == [Key("a"), Key("b")])
            #expect(try await store.all(in: Partition("new")).isEmpty)
            try await store.set(Key("d"), [4], in: Partition("new"))
            #expect(try await store.all(in: Partition("other")).map(\.key) == [Key("c")])
            #expect(try await store.all(in: Partition("new")).map(\.key) == [Key("d")])
        } reopened: { store in
            var keys: [[Key]] = []
            for partition in [home, Partition("other"), Partition("new")] {
                keys.append(try await store.all(in: partition).map(\.key))
            }
            #expect(keys == [[Key("a"), Key("b")], [Key("c")], [Key("d")]])
        }
    }

    @Test func afterAFailedSyncNothingThatRanSinceIsAcknowledged() async throws {
        try await withStore(.sync) { store, disk in
            try await store.set(Key("a"), [1], in: home)
            disk.stop()
            let results = try await severalWrites(store, whileStopped: disk) { disk.goOn(failing: EIO) }
            #expect(results == Array(repeating: .ioFailure, count: results.count))
            disk.goOn()
            await #expect(throws: StoreError.self) { try await store.set(Key("b"), [2], in: home) }
            #expect(try await store.all(in: home).map(\.key) == [Key("a")])
        }
    }

    /// One that the disk stops at, and several that run meanwhile, one of them in a new partition.
    private func severalWrites(
        _ store: LevelDBStore, whileStopped disk: Disk, then goOn: () -> Void
    ) async throws -> [StoreError.Code?] {
        let ran = Lock(0)
        func write(_ number: Int) -> Task<StoreError.Code?, Never> {
            Task {
                do {
                    try await store.write(number == 2 ? Partition("new") : home) { transaction in
                        transaction.set(Key("x\(number)"), value(100))
                        ran.withLock { $0 += 1 }
                    }
                    return nil
                } catch {
                    return (error as? StoreError)?.code
                }
            }
        }
        var tasks = [write(0)]
        try await disk.waitUntilReached()
        for number in 1..<5 {
            tasks.append(write(number))
            try await wait(for: "write \(number) to run") { ran.withLock { $0 } == number + 1 }
        }
        goOn()
        var codes: [StoreError.Code?] = []
        for task in tasks { codes.append(await task.value) }
        return codes
    }

    private func withStore(
        _ operation: LevelDBOperation = .append, _ body: (LevelDBStore, Disk) async throws -> Void,
        reopened: (LevelDBStore) async throws -> Void = { _ in }
    ) async throws {
        let directory = try TemporaryDirectory()
        let disk = Disk(operation)
        var options = LevelDBStore.Options()
        options.fault = disk.fault
        let store = try LevelDBStore(directory: directory.path, options: options)
        do {
            try await body(store, disk)
        } catch {
            disk.goOn()
            await store.close()
            throw error
        }
        await store.close()
        let again = try LevelDBStore(directory: directory.path)
        try await reopened(again)
        try await again.verify()
        await again.close()
    }
}

/// A disk that stops before what is done with a log.
///
/// `@unchecked Sendable`: the variables are touched only while `condition` is locked.
final class Disk: @unchecked Sendable {
    private let operation: LevelDBOperation
    private let condition = NSCondition()
    private var isStopped = false
    private var isReached = false
    private var error: Int32 = 0

    init(_ operation: LevelDBOperation = .append) { self.operation = operation }

    /// Lets nothing further pass.
    func stop() { condition.withLock { (isStopped, isReached) = (true, false) } }

    /// Lets what waits pass, and all that follows; or fail.
    func goOn(failing error: Int32 = 0) {
        condition.withLock {
            (isStopped, self.error) = (false, error)
            condition.broadcast()
        }
    }

    func waitUntilReached() async throws {
        try await wait(for: "the disk") { condition.withLock { isReached } }
    }

    /// For a store's options.
    var fault: @Sendable (LevelDBOperation, String) -> Int32 {
        { [self] operation, name in
            guard operation == self.operation, name.hasSuffix(".log") else { return 0 }
            return condition.withLock {
                if isStopped { isReached = true }
                while isStopped { condition.wait() }
                return error
            }
        }
    }
}
