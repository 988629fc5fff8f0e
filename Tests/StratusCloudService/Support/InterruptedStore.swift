import StratusCloudStore
import StratusWorkers

/// What a write throws after which the process is as good as dead.
struct Interruption: Error {}

/// A store that lets so many transactions write, and no more.
final class InterruptedStore<Base: CloudStore>: CloudStore {
    fileprivate let base: Base
    private let left: Lock<Int>

    fileprivate init(_ base: Base, after count: Int) {
        self.base = base
        left = Lock(count)
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }
    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition, body)
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let mayWrite = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard mayWrite else { throw Interruption() }
        return try await base.write(partition, body)
    }
}

extension InterruptedStore: MaintainedStore where Base: MaintainedStore {
    func verify(_ progress: @escaping @Sendable (_ rows: Int) -> Void) async throws { try await base.verify(progress) }

    func withStateFiles<Result: Sendable>(
        _ body: @escaping @Sendable ([StoreFile]) throws -> Result
    ) async throws -> Result { try await base.withStateFiles(body) }
}

extension CloudStore {
    /// The store, whose writes end after a number of transactions.
    func interrupted(after count: Int) -> any CloudStore { InterruptedStore(self, after: count) }
}

extension MaintainedStore {
    /// Likewise.
    func interrupted(after count: Int) -> any MaintainedStore { InterruptedStore(self, after: count) }
}
