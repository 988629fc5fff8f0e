import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// What a database is counted to hold is made right while people save: nothing waits for the count, and nothing is lost.
@Suite struct UsageRepairTests {
    private let cloud: TestCloud
    private let home: Partition

    init() async throws {
        cloud = try await TestCloud()
        home = try cloud.home()
        _ = try await cloud.modify((0..<20).map { .make(.create, "n\($0)") })
        try await cloud.store.write(home) { $0.set(Keyspace.usage, Usage()) }
    }

    /// Repairs through a store in which somebody saves after each of the first counts.
    private func repair(saves: Int) async throws -> (ConsistencyReport, BusyStore) {
        let store = BusyStore(cloud.store, home, saves: saves) { [cloud] number in
            _ = try await cloud.modify([.make(.create, "later\(number)")])
        }
        let other = TestCloud(cloud, store: store)
        return (try await other.service.checkConsistency(repairing: true), store)
    }

    @Test func nothingThatIsSavedMeanwhileIsLost() async throws {
        let (report, store) = try await repair(saves: 2)
        #expect(report.problems == 1 && report.repaired == 1, "\(report.findings)")
        #expect(store.saved == 2 && !store.hasCountedWriting)
        let (usage, counted) = try await cloud.store.read(home) { transaction -> (Usage?, Usage) in
            (try transaction.value(at: Keyspace.usage), try UsageLedger.count(in: transaction))
        }
        #expect(usage == counted && counted.records == 22)
        #expect(try await cloud.service.checkConsistency(repairing: false).problems == 0)
    }

    @Test func whatChangesAllTheTimeIsToldAndLeft() async throws {
        let (report, store) = try await repair(saves: .max)
        #expect(report.problems == 1 && report.repaired == 0 && report.findings.first?.isRepaired == false)
        #expect(store.saved == ServiceLimits.usageAttempts)
        let usage: Usage? = try await cloud.store.read(home) { try $0.value(at: Keyspace.usage) }
        #expect(usage?.records == Int64(ServiceLimits.usageAttempts), "only what was saved was counted")
    }
}

/// A store in which somebody saves whenever all records were counted.
private final class BusyStore: CloudStore {
    private final class Observer: StoreObserver {
        let counts = Lock((reading: 0, writing: 0))

        func note(_ access: StoreAccess, isWriting: Bool) {
            guard case .range(let range, _) = access, range.lower == Keyspace.versions.lower else { return }
            counts.withLock { if isWriting { $0.writing += 1 } else { $0.reading += 1 } }
        }
    }

    private let base: ObservedStore<Observer>
    private let partition: Partition
    private let saves: Int
    private let done = Lock(0)
    private let save: @Sendable (Int) async throws -> Void

    init(
        _ base: any CloudStore, _ partition: Partition, saves: Int,
        save: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.base = ObservedStore(base, by: Observer())
        self.partition = partition
        self.saves = saves
        self.save = save
    }

    var saved: Int { done.withLock { $0 } }
    /// Whether a transaction that writes has counted, so that others waited.
    var hasCountedWriting: Bool { base.observer.counts.withLock { $0.writing > 0 } }

    func partitions() async throws -> [Partition] { try await base.partitions() }
    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        let before = base.observer.counts.withLock { $0.reading }
        let result = try await base.read(partition, body)
        guard partition == self.partition, base.observer.counts.withLock({ $0.reading }) > before, saved < saves else {
            return result
        }
        let number = done.withLock { done in
            done += 1
            return done
        }
        try await save(number)
        return result
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition, body)
    }
}
